import { plain } from '../../plain.js';
import { openFile } from '../sources/file.js';
import { followServer } from '../sources/live.js';
import { isToken, keepToken } from '../sources/token.js';
import { kept, older, type Status, status, unread, version } from '../state.js';
import { useSignal } from '../ui.js';

/** Whether this page came from a server, which can be asked for records. */
const isServed = (): boolean => location.protocol === 'http:' && document.getElementById('records') === null;

/** The source of the records, and its state. */
export function Source() {
  version.value;
  const { foreign } = kept.value;
  const now = status.value;
  const more = older.value;
  return (
    <header>
      <h1>hookscope</h1>
      <p role="status" class={`state ${now.type}`}>
        {words(now)}
        {unread.value !== '' && ` Not all that is kept can be read: ${plain(unread.value)}`}
        {foreign > 0 && ` ${foreign} lines are no records, and are left out.`}
      </p>
      {more !== undefined && (
        <button type="button" onClick={() => void more()}>
          Load older
        </button>
      )}
      <label class="file">
        Open a file{' '}
        <input
          type="file"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file !== undefined) void openFile(file);
          }}
        />
      </label>
    </header>
  );
}

function words(now: Status): string {
  switch (now.type) {
    case 'none':
      return 'Nothing is open.';
    case 'reading':
      return `Reading ${now.what} …`;
    case 'file':
      return now.name;
    case 'live':
      return 'Live.';
    case 'lost':
      return `Connection lost: ${now.why}.`;
    default:
      return now.why;
  }
}

/** Asks for the token, or for a file. */
export function Begin() {
  const wrong = useSignal(false);
  return (
    <div class="begin">
      {isServed() && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const field = event.currentTarget.elements.namedItem('token') as HTMLInputElement;
            const token = field.value.trim();
            wrong.value = !isToken(token);
            if (wrong.value) return;
            field.value = '';
            keepToken(token);
            void followServer(token);
          }}
        >
          <label>
            The token to read{' '}
            <input name="token" type="password" autocomplete="off" spellcheck={false} aria-describedby="where" />
          </label>{' '}
          <button type="submit">Show what happens</button>
          <p id="where">
            It is <code>read</code> in the file <code>tokens.json</code>, whose place <code>hookscope serve</code>{' '}
            prints. It stays in this tab.
          </p>
          {wrong.value && (
            <p role="alert" class="alarming">
              A token has 43 letters, digits, - and _.
            </p>
          )}
        </form>
      )}
      <p>Or drop a file of records (NDJSON) here: it is read by this page alone and goes nowhere.</p>
    </div>
  );
}
