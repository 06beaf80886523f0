import { clip } from '../../plain.js';
import { agentName } from '../records/agents.js';
import { isFiltering, NO_FILTER } from '../records/filter.js';
import { bitOf, OUTCOME_WORDS, OUTCOMES } from '../records/outcome.js';
import { changeFilter, counts, filter, kept, rows, setFilter, tab, typed, typeText, version } from '../state.js';
import { computed } from '../ui.js';
import { leftOut, someOf } from './some.js';

/** The most options of each list. */
const MOST = 500;

const names = computed(() => {
  version.value;
  const events = new Set<string>();
  const hooks = new Set<string>();
  for (const { event, ran } of rows.value) {
    events.add(event);
    for (const { name } of ran) hooks.add(name);
  }
  return { events: [...events].sort(), hooks: [...hooks].sort() };
});

export function Filters() {
  version.value;
  const { agents, sessions } = kept.value;
  const now = filter.value;
  const { events, hooks } = names.value;
  return (
    <search class="filters" aria-label="Filter">
      <Counters />
      <Choice
        label="Agent"
        value={now.agent}
        options={agents.lanes()}
        keyOf={({ key }) => key}
        textOf={(agent) => agentName(agent, sessions)}
        onChange={(agent) => changeFilter({ agent })}
      />
      <Choice
        label="Event"
        value={now.event}
        options={events}
        keyOf={(event) => event}
        textOf={(event) => event}
        onChange={(event) => changeFilter({ event })}
      />
      <Choice
        label="Hook"
        value={now.hook}
        options={hooks}
        keyOf={(hook) => hook}
        textOf={(hook) => clip(hook, 80)}
        onChange={(hook) => changeFilter({ hook })}
      />
      <label>
        Text{' '}
        <input type="search" value={typed.value ?? now.text} onInput={(event) => typeText(event.currentTarget.value)} />
      </label>
      <button type="button" disabled={!isFiltering(now) && !typed.value} onClick={() => setFilter(NO_FILTER)}>
        Show all
      </button>
    </search>
  );
}

interface ChoiceProps<T> {
  readonly label: string;
  readonly value: string;
  readonly options: readonly T[];
  keyOf(option: T): string;
  textOf(option: T): string;
  onChange(value: string): void;
}

function Choice<T>({ label, value, options, keyOf, textOf, onChange }: ChoiceProps<T>) {
  const { some, left } = someOf(options, MOST, (option) => keyOf(option) === value);
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">all</option>
        {some.map((option) => (
          <option key={keyOf(option)} value={keyOf(option)}>
            {textOf(option)}
          </option>
        ))}
        {left > 0 && <option disabled>{leftOut(left)}</option>}
      </select>
    </label>
  );
}

const NUMBERS = { denied: 'denied', failed: 'failed', alarm: 'alarms' } as const;

/** Counts of fires by outcome; a click on one filters by it. */
function Counters() {
  const now = counts.value;
  const { outcomes } = filter.value;
  return (
    <fieldset class="counters">
      <legend class="hidden">Outcome</legend>
      <span>{now.fires.toLocaleString('en')} fires</span>
      {OUTCOMES.toReversed().map((outcome) => {
        const bit = bitOf(outcome);
        const key = outcome in NUMBERS ? NUMBERS[outcome as keyof typeof NUMBERS] : undefined;
        const text = key === undefined ? OUTCOME_WORDS[outcome] : `${now[key].toLocaleString('en')} ${key}`;
        return (
          <button
            key={outcome}
            type="button"
            class={`badge ${outcome} ${key !== undefined && now[key] === 0 ? 'none' : ''}`}
            aria-pressed={(outcomes & bit) !== 0}
            onClick={() => {
              changeFilter({ outcomes: outcomes ^ bit });
              tab.value = 'fires';
            }}
          >
            {text}
          </button>
        );
      })}
    </fieldset>
  );
}
