import { zod } from '../../values/zod.js';
import { openString } from '../base.js';
import { builtIn } from '../define.js';
import { PROGRAMS } from '../handler-kinds.js';

const trigger = () => openString('manual', 'auto');

const modelSwitch = () =>
  zod().object({
    from_model: zod().string(),
    to_model: zod().string(),
    /** As requested: an alias, a full id, or null for the default. */
    requested_model: zod().string().nullable(),
    source: openString('command', 'picker', 'sdk'),
    context_tokens: zod().number(),
    prompt_cache_warm: zod().boolean(),
    cache_ttl: openString('5m', '1h'),
    estimated_cache_write_usd: zod().number(),
    pricing: openString('configured', 'catalog', 'default'),
  });

const sampleSwitch = () => ({
  from_model: 'small',
  to_model: 'large',
  requested_model: 'large',
  source: 'command' as const,
  context_tokens: 1200,
  prompt_cache_warm: true,
  cache_ttl: '5m' as const,
  estimated_cache_write_usd: 0.01,
  pricing: 'catalog' as const,
});

/** Events about the conversation as a whole: compaction, the model, what the user sees. */
export const CONVERSATION_EVENTS = {
  PreCompact: builtIn({
    input: () => zod().object({ trigger: trigger(), custom_instructions: zod().string().nullable() }),
    subject: 'trigger',
    fold: 'block',
    plainStdout: 'context',
    plainAnswer: true,
    endsLoop: false,
    types: PROGRAMS,
    claude: 'usual',
    group: 'turn',
    classic: true,
    about:
      'Before the conversation is compacted. A hook can block it; its plain stdout is added to the compaction instructions.',
    sample: () => ({ trigger: 'manual', custom_instructions: 'Keep the decisions.' }),
  }),
  PostCompact: builtIn({
    input: () => zod().object({ trigger: trigger(), compact_summary: zod().string() }),
    subject: 'trigger',
    fold: 'observe',
    afterTheFact: true,
    types: PROGRAMS,
    claude: 'usual',
    group: 'turn',
    about: 'After the conversation was compacted. A hook can only watch; it is given the summary.',
    sample: () => ({ trigger: 'manual', compact_summary: 'The tests were fixed.' }),
  }),
  PreModelSwitch: builtIn({
    input: modelSwitch,
    subject: 'to_model',
    fold: 'gate',
    output: () =>
      zod().object({
        permissionDecision: zod().enum(['allow', 'deny', 'ask']).optional(),
        permissionDecisionReason: zod().string().optional(),
      }),
    endsLoop: false,
    timeout: { claude: 30 },
    types: PROGRAMS,
    claude: 'usual',
    group: 'turn',
    about: 'Before the session changes its model. A hook can allow, deny or ask.',
    sample: sampleSwitch,
  }),
  PostModelSwitch: builtIn({
    input: () => modelSwitch().extend({ source: openString('command', 'picker', 'sdk', 'auto', 'resume') }),
    subject: 'to_model',
    fold: 'context',
    afterTheFact: true,
    exit2: 'ignore',
    timeout: { claude: 30 },
    types: PROGRAMS,
    claude: 'usual',
    group: 'turn',
    about: 'After the session changed its model. A hook can add context for the new model.',
    sample: sampleSwitch,
  }),
  Notification: builtIn({
    input: () =>
      zod().object({
        message: zod().string(),
        title: zod().string().optional(),
        /** Absent in old payloads. */
        notification_type: openString(
          'permission_prompt',
          'idle_prompt',
          'auth_success',
          'elicitation_dialog',
        ).optional(),
      }),
    subject: 'notification_type',
    fold: 'context',
    afterTheFact: true,
    exit2: 'ignore',
    hides: 'the notification',
    types: PROGRAMS,
    claude: 'usual',
    group: 'turn',
    classic: true,
    about:
      'When the user is told something. A hook can pass it on, add context, or keep it from being shown with suppressOutput.',
    sample: () => ({ message: 'Claude needs your permission', notification_type: 'permission_prompt' }),
  }),
  MessageDisplay: builtIn({
    input: () =>
      zod().object({
        turn_id: zod().string(),
        message_id: zod().string(),
        index: zod().number(),
        final: zod().boolean(),
        delta: zod().string(),
      }),
    fold: 'replace',
    afterTheFact: true,
    exit2: 'ignore',
    output: () => zod().object({ displayContent: zod().string().optional() }),
    value: ['displayContent'],
    timeout: { claude: 10 },
    types: PROGRAMS,
    claude: 'usual',
    group: 'turn',
    about:
      'When a piece of the answer is about to be shown. A hook can show another text in its place; the message itself stays.',
    sample: () => ({ turn_id: 'turn-1', message_id: 'message-1', index: 0, final: true, delta: 'All tests pass.' }),
  }),
} as const;
