import { plain } from '../../plain.js';
import { isObject } from '../../values/shape.js';
import { shortName } from '../../why/about.js';
import { agentName } from '../records/agents.js';
import { kept, scopes, version } from '../state.js';
import { leftOut, someOf } from './some.js';

/** A scope as a server reports it; any field may be missing. */
interface ScopeDescription {
  readonly scope?: unknown;
  readonly kind?: unknown;
  readonly agentType?: unknown;
  readonly session?: unknown;
  readonly hooks?: unknown;
  readonly children?: unknown;
}

/** The scope tree as it is now, if a server reports it; otherwise the agents in the records. */
export function Scopes() {
  const told = scopes.value;
  if (!Array.isArray(told)) return <KnownAgents />;
  return (
    <div class="scopes">
      {told.filter(isObject).map((host, i) => (
        <section key={String(host['root'] ?? i)}>
          <h2>{host['root'] ? `Project ${plain(String(host['root']))}` : 'Host'}</h2>
          <ul>
            <Scope one={isObject(host['scopes']) ? host['scopes'] : {}} depth={0} />
          </ul>
        </section>
      ))}
    </div>
  );
}

/** The deepest level that is shown; no real tree is deeper. */
const DEEPEST = 50;

function Scope({ one, depth }: { readonly one: ScopeDescription; readonly depth: number }) {
  const hooks = (Array.isArray(one.hooks) ? one.hooks : []).filter(isObject);
  const children = (Array.isArray(one.children) ? one.children : []).filter(isObject);
  const type = typeof one.agentType === 'string' ? ` ${one.agentType}` : '';
  // A session is named by its id, since the scopes of all sessions have the same name.
  const name = typeof one.session === 'string' ? shortName(one.session) : String(one.scope ?? '');
  return (
    <li>
      <strong>{plain(`${String(one.kind ?? '')}${type} ${name}`)}</strong>
      <ul>
        {hooks.map((hook, i) => (
          <li key={i}>
            {plain(String(hook['event'] ?? ''))} {plain(String(hook['matcher'] ?? ''))}:{' '}
            {plain(String(hook['name'] ?? ''))}
          </li>
        ))}
        {depth < DEEPEST && children.map((child, i) => <Scope key={i} one={child} depth={depth + 1} />)}
      </ul>
    </li>
  );
}

/** The most agents in the list, since a browser takes too long to lay out more; the lanes have all of them. */
const MOST = 1000;

function KnownAgents() {
  version.value;
  const { agents, sessions } = kept.value;
  const { some, left } = someOf(agents.lanes(), MOST);
  return (
    <div class="scopes">
      <p class="quiet">No server tells of scopes here: these are the agents of the records.</p>
      <ul>
        {some.map((agent) => (
          <li key={agent.key}>
            {agentName(agent, sessions)}
            {agent.parent === undefined ? '' : `, started by ${agentName(agent.parent, sessions)}`}
          </li>
        ))}
        {left > 0 && <li>{leftOut(left)}</li>}
      </ul>
    </div>
  );
}
