// Files of packages that are loaded without the rest of the package.

declare module 'tapable/lib/AsyncSeriesBailHook.js' {
  export { AsyncSeriesBailHook as default } from 'tapable';
}

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';
  export default function request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
}
