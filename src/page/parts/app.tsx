import { openFile } from '../sources/file.js';
import { rows, status, type Tab, tab } from '../state.js';
import { Timeline } from '../timeline/timeline.js';
import { Explanation } from './explain.js';
import { Filters } from './filters.js';
import { FireList } from './fire-list.js';
import { HooksTable } from './hooks-table.js';
import { Scopes } from './scopes.js';
import { Scrubber } from './scrubber.js';
import { Begin, Source } from './source.js';

export function App() {
  const { type } = status.value;
  const begins = type === 'refused' || (type === 'none' && rows.value.length === 0);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a file may be dropped anywhere; the field in the header is the same
    <div
      class="app"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) void openFile(file);
      }}
    >
      <Source />
      <main>
        {begins && <Begin />}
        {(!begins || rows.value.length > 0) && (
          <>
            <Filters />
            <Timeline />
            <Scrubber />
            <div class="below">
              <Tabs />
              <Explanation />
            </div>
          </>
        )}
      </main>
    </div>
  );
}

const TABS: readonly (readonly [Tab, string, () => preact.JSX.Element])[] = [
  ['fires', 'Fires', FireList],
  ['hooks', 'Hooks', HooksTable],
  ['scopes', 'Scopes', Scopes],
];

function Tabs() {
  const [, , Panel] = TABS.find(([name]) => name === tab.value) ?? (TABS[0] as (typeof TABS)[number]);
  return (
    <div class="tabs">
      <div
        role="tablist"
        aria-label="Views"
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
          if (step === 0) return;
          const at = TABS.findIndex(([name]) => name === tab.value);
          const [next] = TABS[(at + step + TABS.length) % TABS.length] as (typeof TABS)[number];
          tab.value = next;
          document.getElementById(`tab-${next}`)?.focus();
        }}
      >
        {TABS.map(([name, text]) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={tab.value === name}
            aria-controls="panel"
            tabIndex={tab.value === name ? 0 : -1}
            onClick={() => {
              tab.value = name;
            }}
          >
            {text}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
        <Panel />
      </div>
    </div>
  );
}
