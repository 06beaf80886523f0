# Made by npm run generate from src/agents: what hookscope-hook.sh needs to know about agents other than Claude Code.

# agent_event AGENT EVENT: sets the time limit in tenths of a second (most: the upper bound, whatever is configured) and the output of an empty answer. Returns 1 for an unknown event.
agent_event() {
  case $1 in
    cursor) quiet='{}'$nl ;;
  esac
  case $1:$2 in
    codex:SessionStart | codex:UserPromptSubmit | codex:PreToolUse | codex:PermissionRequest | codex:PostToolUse | codex:Stop | codex:SubagentStart | codex:SubagentStop | codex:PreCompact | codex:PostCompact | codex:PreModelRequest | codex:PostModelRequest)
      tenths=5950 ;;
    codex:SessionEnd | codex:Interrupt)
      tenths=24 most=24 ;;
    copilot:preToolUse | copilot:PreToolUse | copilot:permissionRequest | copilot:PermissionRequest | copilot:sessionStart | copilot:SessionStart | copilot:sessionEnd | copilot:SessionEnd | copilot:userPromptSubmitted | copilot:UserPromptSubmit | copilot:postToolUse | copilot:PostToolUse | copilot:postToolUseFailure | copilot:PostToolUseFailure | copilot:agentStop | copilot:Stop | copilot:subagentStop | copilot:SubagentStop | copilot:preCompact | copilot:PreCompact | copilot:errorOccurred | copilot:StopFailure | copilot:ErrorOccurred | copilot:notification | copilot:Notification | copilot:subagentStart | copilot:SubagentStart | copilot:userPromptTransformed | copilot:UserPromptTransformed)
      tenths=250 ;;
    gemini:SessionStart | gemini:SessionEnd | gemini:BeforeAgent | gemini:UserPromptSubmit | gemini:BeforeTool | gemini:PreToolUse | gemini:AfterTool | gemini:PostToolUseFailure | gemini:PostToolUse | gemini:AfterAgent | gemini:Stop | gemini:PreCompress | gemini:PreCompact | gemini:Notification | gemini:BeforeModel | gemini:AfterModel | gemini:BeforeToolSelection | cursor:sessionStart | cursor:SessionStart | cursor:sessionEnd | cursor:SessionEnd | cursor:beforeSubmitPrompt | cursor:UserPromptSubmit | cursor:preToolUse | cursor:PreToolUse | cursor:beforeShellExecution | cursor:beforeMCPExecution | cursor:beforeReadFile | cursor:postToolUse | cursor:PostToolUse | cursor:afterShellExecution | cursor:afterMCPExecution | cursor:afterFileEdit | cursor:postToolUseFailure | cursor:PostToolUseFailure | cursor:stop | cursor:Stop | cursor:subagentStart | cursor:SubagentStart | cursor:subagentStop | cursor:SubagentStop | cursor:preCompact | cursor:PreCompact | cursor:afterAgentResponse | cursor:AfterAgentResponse | cursor:afterAgentThought | cursor:AfterAgentThought | cursor:afterTabFileEdit | cursor:AfterTabFileEdit | cursor:beforeTabFileRead | cursor:BeforeTabFileRead)
      tenths=550 ;;
    *) return 1 ;;
  esac
}

# agent_refuses AGENT EVENT REASON: prints a refusal in the agent's format, or an empty answer if the event cannot be refused.
agent_refuses() {
  case $1:$2 in
    codex:UserPromptSubmit | codex:PostToolUse | copilot:userPromptSubmitted | copilot:UserPromptSubmit | copilot:postToolUse | copilot:PostToolUse | gemini:AfterTool | gemini:PostToolUseFailure | gemini:PostToolUse)
      printf '{"decision":"block","reason":"%s"}\n' "$3" ;;
    codex:PreToolUse | copilot:PreToolUse)
      printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"%s"}}\n' "$3" ;;
    codex:PermissionRequest)
      printf '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"%s"}}}\n' "$3" ;;
    copilot:preToolUse)
      printf '{"permissionDecision":"deny","permissionDecisionReason":"%s"}\n' "$3" ;;
    copilot:permissionRequest | copilot:PermissionRequest)
      printf '{"behavior":"deny","message":"%s"}\n' "$3" ;;
    copilot:postToolUseFailure | copilot:PostToolUseFailure)
      printf '{"additionalContext":"%s"}\n' "$3" ;;
    gemini:BeforeAgent | gemini:UserPromptSubmit | gemini:BeforeTool | gemini:PreToolUse | gemini:BeforeModel)
      printf '{"decision":"deny","reason":"%s"}\n' "$3" ;;
    cursor:beforeSubmitPrompt | cursor:UserPromptSubmit)
      printf '{"continue":false,"user_message":"%s"}\n' "$3" ;;
    cursor:preToolUse | cursor:PreToolUse | cursor:beforeShellExecution | cursor:beforeMCPExecution)
      printf '{"permission":"deny","user_message":"%s","agent_message":"%s"}\n' "$3" "$3" ;;
    cursor:beforeReadFile)
      printf '{"permission":"deny","user_message":"%s"}\n' "$3" ;;
    cursor:postToolUse | cursor:PostToolUse)
      printf '{"additional_context":"%s"}\n' "$3" ;;
    cursor:beforeTabFileRead | cursor:BeforeTabFileRead)
      printf '{"permission":"deny"}\n' ;;
    *) printf %s "$quiet" ;;
  esac
}
