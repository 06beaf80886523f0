// Made by npm run generate from what npm run interop has seen.

/** What one version of an agent did without hookscope: for each outcome, the names of the hooks after which it was observed. */
export interface ProbedVersion {
  readonly version: string;
  readonly date: string;
  readonly did: Readonly<Record<string, string>>;
}

export const RECORDED: Readonly<Record<string, ProbedVersion>> = {
  'claude-code': {
    version: '2.1.330',
    date: '2026-11-23',
    did: {
      'ran': 'silent0 allow exit1_stderr exit3_stderr exit127 brokenjson0 plaintext0 twojson timeout killed parallel_silent0 subagent_silent0 continue_false',
      'blocked': 'deny exit2_stderr exit2_nostderr exit2_allowjson exit1_denyjson deny_noreason legacy_block claude_deny unknown_field_deny deny_then_sleep_bg parallel_deny subagent_deny subagent_exit2_stderr ask',
      'rewritten': 'rewrite',
    },
  },
  codex: {
    version: '0.169.0',
    date: '2026-11-23',
    did: {
      'ran': 'silent0 allow exit2_nostderr exit1_stderr exit1_denyjson exit3_stderr exit127 brokenjson0 plaintext0 twojson deny_noreason unknown_field_deny timeout killed deny_then_sleep_bg parallel_silent0 subagent_silent0 continue_false ask',
      'blocked': 'deny exit2_stderr exit2_allowjson legacy_block claude_deny parallel_deny subagent_deny subagent_exit2_stderr',
      'rewritten': 'rewrite',
    },
  },
  copilot: {
    version: '1.0.102',
    date: '2026-11-23',
    did: {
      'ran': 'silent0 allow brokenjson0 plaintext0 twojson legacy_block claude_deny timeout deny_then_sleep_bg parallel_silent0 subagent_silent0 continue_false',
      'blocked': 'deny exit2_stderr exit2_nostderr exit2_allowjson exit1_stderr exit1_denyjson exit3_stderr exit127 deny_noreason unknown_field_deny killed parallel_deny subagent_deny subagent_exit2_stderr ask',
      'rewritten': 'rewrite',
    },
  },
  gemini: {
    version: '0.61.0',
    date: '2026-11-23',
    did: {
      'ran': 'silent0 allow exit2_nostderr exit2_allowjson exit1_stderr brokenjson0 plaintext0 twojson claude_deny timeout killed deny_then_sleep_bg parallel_silent0',
      'blocked': 'deny exit2_stderr exit1_denyjson exit3_stderr exit127 deny_noreason legacy_block unknown_field_deny parallel_deny continue_false',
      'rewritten': 'rewrite',
      'hung': 'ask',
    },
  },
};
