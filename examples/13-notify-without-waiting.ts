// Send notifications somewhere else. The agent does not wait for the network.
// In the Claude Agent SDK hooks reference: Pattern 5, "Async Notification".
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost, type HookCallback } from 'hookscope';

const server = createServer((request, response) => {
  request.setEncoding('utf8').on('data', (text: string) => console.log('chat received', text));
  request.on('end', () => response.end());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const toChat: HookCallback<'Notification'> = async (input, _id, { signal }) => {
  // The signal ends the request when its time is up, or the host closes.
  await fetch(url, { method: 'POST', body: JSON.stringify({ text: input.message }), signal });
};

const host = createHost();
// `async: true`: started, then left to itself for at most 5 seconds. A failure is reported, nothing waits for it.
host.register({
  Notification: [{ matcher: 'permission_prompt', hooks: [{ handler: toChat, async: true, asyncTimeout: 5 }] }],
});

await host.fire('Notification', { message: 'Claude needs your permission', notification_type: 'permission_prompt' });
console.log('the agent goes on');

await host.close(); // waits for what is still under way, at most `closeTimeout` seconds
server.close();
