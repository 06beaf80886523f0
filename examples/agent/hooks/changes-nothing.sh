#!/bin/sh
# PreToolUse of the surveyor, on Write and Edit: exit 2 denies, and stderr is the reason.
echo 'A surveyor changes nothing: tell what you found instead.' >&2
exit 2
