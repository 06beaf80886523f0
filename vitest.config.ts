import { availableParallelism, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const seeded = fileURLToPath(new URL('./test/fast-check.ts', import.meta.url));

/** Where processes are started, or what was built is used. All other tests are `unit`, which refuses to start any (test/no-process.ts). */
export const SYSTEM: string[] = [
  'test/cli/replay.test.ts',
  'test/adapters/*.test.ts',
  'test/check/{advice,cli,costs,duplicates,first-line,forms,really-run}.test.ts',
  'test/claude-code/{assigned-values,backquotes,commands,environment,explain,generated,homes,line-folders,load,mcp-consent,named-run,settings-cost,substitution-ends,substitution-places,trust-command,trust,untrusted-generated,untrusted,vectors}.test.ts',
  'test/cli/{agents,ci,connect,demo,doctor,doctor-advice,doctor-marks,ended,fire,found-config,full-disk,told-config,help,history,history-server,history-sqlite,hostile-folder,hostile-strings,killed,misuse,new,out-file,outside,packed,redact,run,secret-options,test,watch,wrong-arguments}.test.ts',
  'test/connect/codex-trust.test.ts',
  'test/contracts/*.test.ts',
  'test/claude-code/control/{alarms,appendix-a,client-hooks,client-permission,client-sessions,client-talk,client,design-001,flood,fuzz,ids-model,listen,prompts,recorded-client,recorded-server,registry,server,start}.test.ts',
  'test/emit/{guard,ndjson-process,sqlite-process}.test.ts',
  'test/emit/otel/process.test.ts',
  'test/events/lifecycle.test.ts',
  'test/fleet/{adopt,allowed,drift}.test.ts',
  'test/foreign/*.test.ts',
  'test/examples/*.test.ts',
  'test/host/{abort,async,async-kinds,checklist,close,costs,failure-table,failure,leaks,logger-heard,process,running,shadow-files,taken,timeouts,told,outside-model}.test.ts',
  'test/handlers/{bound-script,command-async,command-vectors,command,http,mcp-process,mcp-tool,process-group,process-tree,stderr-reason}.test.ts',
  'test/package/{budgets,compiler,doc-harness,docs,examples,late,options,promises-process,shipped,tables}.test.ts',
  'test/page/*.test.ts',
  'test/probe/probe.test.ts',
  'test/server/*.test.ts',
  'test/session/{bytes,watch}.test.ts',
  'test/plugins/{hooks-file,load,wrong-types}.test.ts',
  'test/store/{no-store,sqlite-reads}.test.ts',
  'test/testing/{contract-handles,fire-file,plugins}.test.ts',
  'test/files/file-lock.test.ts',
  'test/values/{processes,user-folders}.test.ts',
  'test/matching/{bash-real,regex-cost}.test.ts',
];
/** What measures memory or the processor, takes much memory, looks at what is loaded, or loads something else, has a process of its own. */
export const ALONE = [
  'test/claude-code/control/bad-lines.test.ts',
  'test/claude-code/hostile-files.test.ts',
  'test/events/unknown-to-claude.test.ts',
  'test/host/{leaks,process,logger-heard}.test.ts',
  'test/matching/bash-cost.test.ts',
  'test/emit/guard.test.ts',
  'test/emit/redact/costs.test.ts',
  'test/package/budgets.test.ts',
  'test/testing/contract-outside.test.ts',
];
/** Most of what a test calls it calls a few times: compiled late, it takes a tenth less of the processor. V8 of Node 20 has this flag. */
const COMPILED_LATE = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=600000'] : [];
// No test needs the network, and with certificates of one's own every start of Node reads all that there are: 59 ms in place of 23.
delete process.env.NODE_EXTRA_CA_CERTS;
/** What takes longest begins first, or one file would run alone in the end. Without an earlier run, as in a fresh clone, vitest knows only how large the files are. */
export const LONG = [
  'probe/probe',
  'package/docs',
  'cli/hostile-strings',
  'page/page',
  'emit/otel/process',
  'server/serve',
  'server/thin',
  'server/agent-with-shell',
  'handlers/process-group',
  'cli/wrong-arguments',
  'replay/determinism',
  'emit/packed',
  'cli/why',
  'session/property',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const place = ({ project, moduleId }: TestSpecification): number => {
      const long = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return projects.indexOf(project.name) * LONG.length * 2 + (long === -1 ? LONG.length : long);
    };
    return sorted.sort((a, b) => place(a) - place(b));
  }
}
/** In ms. With many more generated cases, a test takes as much longer. */
const TIMEOUT = process.env['HOOKSCOPE_GENERATED'] === undefined ? 300_000 : 3_000_000;
const OWN_FOLDER = 'test/own-folder.ts';
const NEVER = ['test/fixtures/**', '**/node_modules/**'];

export default defineConfig({
  plugins: [
    {
      name: 'generated tests have one seed',
      enforce: 'pre',
      resolveId: (id, importer) => (id === 'fast-check' && importer !== seeded ? seeded : undefined),
    },
  ],
  resolve: {
    alias: ['index', 'replay'].map((name) => ({
      find: name === 'index' ? /^hookscope$/ : `hookscope/${name}`,
      replacement: fileURLToPath(new URL(`./src/${name}.ts`, import.meta.url)),
    })),
  },
  test: {
    environment: 'node',
    // No test writes into its user's own state folder.
    env: { XDG_STATE_HOME: join(tmpdir(), `hookscope-test-state-${userInfo().uid}`) },
    // Two more than there are cores: files that start processes wait for most of their time.
    maxWorkers: availableParallelism() + 2,
    // Handlers spawn process groups and listen for signals: that needs a process, not a thread.
    pool: 'forks',
    execArgv: COMPILED_LATE,
    sequence: { sequencer: LongestFirst },
    // What is built is loaded as it is.
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
    // A limit for what hangs, and no test has a shorter one of its own: a machine with other work takes its time.
    testTimeout: TIMEOUT,
    hookTimeout: TIMEOUT,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...NEVER, ...SYSTEM, ...ALONE],
          setupFiles: [OWN_FOLDER, 'test/no-process.ts'],
          // They share what they import: to load it is most of their time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: SYSTEM,
          exclude: [...NEVER, ...ALONE],
          globalSetup: ['test/once-folder.ts'],
          setupFiles: [OWN_FOLDER, 'test/small.ts'],
          execArgv: ['--expose-gc', ...COMPILED_LATE],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, exclude: NEVER, setupFiles: [OWN_FOLDER] },
      },
      {
        extends: true,
        // The adapter for the AI SDK with the other version that it knows.
        resolve: { alias: [{ find: /^ai(?=$|\/test$)/, replacement: 'ai-7' }] },
        test: {
          name: 'ai 7',
          isolate: false,
          include: ['test/adapters/ai*.test.ts'],
          exclude: NEVER,
          setupFiles: [OWN_FOLDER, 'test/small.ts'],
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text', 'html'],
      thresholds: { lines: 90 },
    },
  },
});
