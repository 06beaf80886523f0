import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Asked {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer as data; a body that is no string is sent as JSON. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly delay_ms?: number;
}

export type Answers = Readonly<Record<string, Answer | ((request: IncomingMessage, response: ServerResponse) => void)>>;

export interface HookServer extends AsyncDisposable {
  readonly port: number;
  readonly asked: Asked[];
  url(path: string): string;
  /** Connections that are open now. */
  connections(): Promise<number>;
}

/** A real server on loopback that gives the answer of each path; 404 for any other. */
export async function hookServer(answers: Answers, host = '127.0.0.1'): Promise<HookServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(chunks).toString('utf8');
      asked.push({ method: request.method, path, headers: request.headers, body });
      const answer = answers[path.split('?')[0] as string] ?? { status: 404 };
      if (typeof answer === 'function') answer(request, response);
      else setTimeout(() => give(response, answer), answer.delay_ms ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    asked,
    url: (path) => `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`,
    connections: () =>
      new Promise((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n)))),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function give(response: ServerResponse, { status = 200, headers = {}, body = '' }: Answer): void {
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
}
