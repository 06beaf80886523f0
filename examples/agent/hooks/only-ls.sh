#!/bin/sh
# PreToolUse of the surveyor: in the shell it may list, and nothing else. stdin is the event as JSON.
case "$(cat)" in
  *'"command":"ls'*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"looking is free"}}' ;;
  *) echo 'A surveyor only lists: use the Grep tool to search.' >&2; exit 2 ;;
esac
