import { App } from './parts/app.js';
import { openEmbedded } from './sources/file.js';
import { followServer } from './sources/live.js';
import { takeToken } from './sources/token.js';
import { render } from './ui.js';

const embedded = document.getElementById('records');
render(<App />, document.body);

if (embedded !== null) void openEmbedded(embedded);
else if (location.protocol === 'http:') {
  const follow = (): void => {
    const token = takeToken();
    if (token !== undefined) void followServer(token);
  };
  follow();
  addEventListener('hashchange', follow);
}
