#!/bin/sh
# PostToolUse of the builder: keeps a list of what it changed.
cat >/dev/null
echo "edited by $HOOKSCOPE_SCOPE" >> "$CLAUDE_PROJECT_DIR/.agent/edits.log"
