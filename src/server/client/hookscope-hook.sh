#!/bin/sh
# hookscope hook, without starting Node: asks the user's server with curl, and says and exits as `hookscope hook` does.
# sh hookscope-hook.sh [--node PATH] [options of hookscope hook] EVENT [options of hookscope hook]
# Whatever it does not know how to do it leaves to Node, as long as nothing was sent.
umask 077
unset CDPATH
node=node
if [ "$1" = --node ]; then
  node=$2
  shift 2
fi
event=
as=claude-code
alone=
unknown=
quiet=
most=
here=${0%/*}
[ "$here" = "$0" ] && here=.
main=$here/cli/main.js
policy=block
dir=
tenths=5950
nl='
'

# Nothing was judged: what can be stopped is, in the same words as the command's own (src/server/agent-protocol.ts).
fail() {
  why="hookscope: $1"
  printf '%s\n' "$why" >&2
  if [ "$as" != claude-code ]; then
    if [ "$policy" = allow ]; then printf %s "$quiet"; else agent_refuses "$as" "$event" "$why"; fi
    exit 0
  fi
  [ "$policy" = allow ] && exit 1
  case $event in
    PreToolUse | PreModelSwitch)
      printf '{"hookSpecificOutput":{"hookEventName":"%s","permissionDecision":"deny","permissionDecisionReason":"%s"}}\n' "$event" "$why" ;;
    PermissionRequest)
      printf '{"hookSpecificOutput":{"hookEventName":"%s","decision":{"behavior":"deny","message":"%s"}}}\n' "$event" "$why" ;;
    PostToolUse | PostToolUseFailure | UserPromptSubmit | PreCompact | PostToolBatch | UserPromptExpansion | TaskCreated | ConfigChange | WorktreeCreate)
      printf '{"decision":"block","reason":"%s","hookSpecificOutput":{"hookEventName":"%s"}}\n' "$why" "$event" ;;
    # Of an event that nobody knows it is not known either whether it can be stopped.
    *) [ -z "$unknown" ] && exit 1 ;;
  esac
  exit 2
}

# It stands in for no answer of Node's that is none: one that does not start (NODE_OPTIONS, memory) or is killed lets nothing through.
ask_node() {
  command -v "$node" >/dev/null 2>&1 || fail 'neither a server nor Node is there to ask the hooks'
  HOOKSCOPE_PARENT=$$ "$node" "$main" hook "$@" <&3 3<&- &
  reader=$!
  # Node answers in time by itself, unless a hook in it never gives back control; a second at a time, so that nobody sleeps on for long.
  slack=$((tenths / 10))
  [ "$slack" -gt 20 ] && slack=20
  tenths=$((tenths + slack))
  (
    while kill -0 $$ && [ "$tenths" -gt 10 ]; do
      sleep 1
      tenths=$((tenths - 10))
    done
    sleep "0.$((tenths % 10))"
    kill -0 $$ && kill -9 "$reader"
  ) >/dev/null 2>&1 </dev/null 3<&- &
  watcher=$!
  trap 'kill "$reader" "$watcher" 2>/dev/null; exit 2' HUP INT TERM
  wait "$reader"
  code=$?
  kill "$watcher" 2>/dev/null
  case $code in
    0 | 2) exit $code ;;
    1) [ "$as" = claude-code ] && case " $* " in
        *' --on-failure allow '* | *' --on-failure=allow '*) exit 1 ;;
      esac ;;
  esac
  fail "the command that asks the hooks ended with $code"
}

# A background command has no standard input of its own. Of one that is closed there is nothing to be read.
{ command exec 3<&0; } 2>/dev/null || exec 3</dev/null

seconds() {
  case $1 in
    '' | 0* | *[!0-9]* | ??????*) return 1 ;;
  esac
  tenths=$(($1 * 8))
  [ "$1" -gt 25 ] && tenths=$((($1 - 5) * 10))
  return 0
}

# A line of the request's head holds no line end, and loses blanks at its ends.
head=
line() {
  case $2 in
    '' | *[[:cntrl:]]* | ' '* | *' ') return 1 ;;
  esac
  head="$head$1: $2$nl"
}

# What Node is to do is done when all is known that a failure of it would have to be said with.
leave() { alone=yes; }
want=
given=$HOOKSCOPE_TIMEOUT
for arg in "$@"; do
  case $want in
    dir)
      want=
      case $arg in
        -*) line hookscope-claude-code . ;;
        *)
          line hookscope-claude-code "$arg" || leave
          continue ;;
      esac ;;
    as)
      want=
      as=$arg
      continue ;;
    policy)
      want=
      policy=$arg
      continue ;;
    timeout)
      want=
      given=$arg
      continue ;;
    ?*)
      line "hookscope-$want" "$arg" || leave
      want=
      continue ;;
  esac
  case $arg in
    --hooks | --config | --plugin | --settings | --plugin-dir | --agent | --trust | --model) want=${arg#--} ;;
    --claude-code) want=dir ;;
    --no-config) line hookscope-config --no-config ;;
    --as) want=as ;;
    --as=*)
      as=${arg#--as=}
      leave ;;
    --attended) line hookscope-attended yes ;;
    --on-failure) want=policy ;;
    --timeout) want=timeout ;;
    -*) leave ;;
    *)
      [ -z "$event" ] || [ "$event" = "$arg" ] || leave
      [ -n "$event" ] || event=$arg ;;
  esac
done
case $want in
  '') ;;
  dir) line hookscope-claude-code . ;;
  *) leave ;;
esac
case $policy in
  allow | block) ;;
  *)
    policy=block
    leave ;;
esac

# What the agent waits, less the time to say it; in tenths of a second.
if [ "$as" != claude-code ]; then
  . "$here/hookscope-agents.sh"
  # It says no in a way that is understood, where it is known how; and exit 2 stops what can be stopped elsewhere.
  agent_event "$as" "$event" || {
    as=claude-code
    unknown=yes
    leave
  }
  line hookscope-as "$as"
else case $event in
  SessionEnd) tenths=12 ;;
  MessageDisplay) tenths=80 ;;
  UserPromptSubmit | PreModelSwitch | PostModelSwitch) tenths=250 ;;
  PreToolUse | PostToolUse | PostToolUseFailure | PermissionRequest | SessionStart | Setup | Stop | SubagentStart | SubagentStop | PreCompact | Notification | TeammateIdle | TaskCompleted | PostToolBatch | PermissionDenied | UserPromptExpansion | StopFailure | PostCompact | TaskCreated | Elicitation | ElicitationResult | ConfigChange | InstructionsLoaded | CwdChanged | DirectoryAdded | FileChanged | WorktreeCreate | WorktreeRemove)
    tenths=5950 ;;
  *)
    unknown=yes
    leave ;;
esac; fi
if [ -n "$given" ]; then seconds "$given" || leave; fi
[ -z "$most" ] || [ "$tenths" -le "$most" ] || tenths=$most
[ -z "$alone" ] || ask_node "$@"

state=
case $XDG_STATE_HOME in
  /*) state=$XDG_STATE_HOME/hookscope ;;
  *) case $HOME in
      /*) state=$HOME/.local/state/hookscope ;;
      *) ask_node "$@" ;;
    esac ;;
esac
case $XDG_RUNTIME_DIR in
  /*) run=$XDG_RUNTIME_DIR/hookscope ;;
  *) run=$state/run ;;
esac
socket=$run/serve.sock
# Who can be at the other end is whoever can enter the folder: nobody but this user, or Node says what is wrong.
[ -S "$socket" ] && [ -O "$socket" ] && [ -O "$run" ] && [ -O "$state/fire.header" ] && [ -O "$state/server.proof" ] && [ ! -L "$run" ] || ask_node "$@"
command -v curl >/dev/null 2>&1 || ask_node "$@"
open=$(ls -ld "$run" "$state/fire.header" "$state/server.proof" 2>/dev/null) || ask_node "$@"
case $open in
  *"$nl"*"$nl"*"$nl"*) ask_node "$@" ;;
  d??x------*"$nl"-???------*"$nl"-???------* | -???------*"$nl"d??x------*"$nl"-???------* | -???------*"$nl"-???------*"$nl"d??x------*) ;;
  *) ask_node "$@" ;;
esac
cd -P . && line hookscope-cwd "$PWD" || ask_node "$@"
for name in AI_AGENT CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PROJECT_DIR COPILOT_PROJECT_DIR CURSOR_PROJECT_DIR GEMINI_CWD GEMINI_PROJECT_DIR GEMINI_SESSION_ID LANG LC_ALL TRACEPARENT TRACESTATE TZ; do
  eval "value=\${$name-}"
  line hookscope-env "$name=$value" || :
done
line hookscope-on-failure "$policy"

dir=$(mktemp -d "$run/hook.XXXXXX" 2>/dev/null) || ask_node "$@"
trap 'rm -rf "$dir"' EXIT
trap 'exit 2' HUP INT TERM
read -r proof <"$state/server.proof" && read -r token <"$state/fire.header" && printf '%s\n%sContent-Type: application/json\nExpect:\n' "$token" "$head" >"$dir/head" ||
  fail 'the request could not be written'

# An agent that leaves its end open must not be waited for until it gives up.
# In tenths of a second; to start a program for it takes as long as all the rest.
now() {
  if read -r uptime rest 2>/dev/null </proc/uptime; then
    rest=${uptime#*.}
    now=${uptime%%.*}${rest%"${rest#?}"}
  else
    now=$(date +%s)0
  fi
}
now
began=$now
cat <&3 >"$dir/in" &
reader=$!
echo yes >"$dir/reading"
# It looks once a second whether it is still wanted: an agent may have killed what started it, and its process id be somebody else's later.
(
  while [ -s "$dir/reading" ] && kill -0 $$ && [ "$tenths" -gt 10 ]; do
    sleep 1
    tenths=$((tenths - 10))
  done
  if kill -0 $$; then
    [ -s "$dir/reading" ] && sleep "0.$((tenths % 10))" && [ -s "$dir/reading" ] && kill "$reader"
  else
    [ -s "$dir/reading" ] && kill "$reader"
    rm -rf "$dir"
  fi
) >/dev/null 2>&1 </dev/null 3<&- &
wait "$reader" || fail 'standard input was not closed in time'
exec 3<&-
: >"$dir/reading"
now
tenths=$((tenths - now + began))
[ "$tenths" -gt 0 ] || fail 'standard input was not closed in time'

answer=$(curl -q -sS --unix-socket "$socket" --noproxy '*' --connect-timeout 5 --max-time "$((tenths / 10)).$((tenths % 10))" \
  -H "@$dir/head" -H "hookscope-within: $((tenths / 10)).$((tenths % 10))" --data-binary "@$dir/in" -D "$dir/said" -w '\n%{http_code}' "http://hookscope/hooks/$event" 2>/dev/null)
code=$?
status=${answer##*"$nl"}
answer=${answer%"$nl"*}
shown=
exit=
aside=
[ "$code" = 0 ] && while read -r name value; do
  # Behind a value is the line's own end.
  case $name in
    [Hh]ookscope-[Pp]roof:) shown=${value%?} ;;
    [Hh]ookscope-[Ee]xit:) exit=${value%[!0-9]} ;;
    [Hh]ookscope-[Aa]side:) aside="$aside${value%?}$nl" ;;
  esac
done <"$dir/said"
[ "$code" = 0 ] && [ "$shown" != "$proof" ] &&
  fail "what answers on the server's socket does not prove that it is the server of this user: find out which program it is"
case $code:$status in
  0:200)
    case $answer in
      '{}') [ "$as" = claude-code ] && exit 0 ;;
      '{'*'}') ;;
      *) fail 'the server was asked and did not answer: it has died, or hangs' ;;
    esac
    if [ "$answer" = '{}' ]; then printf %s "$quiet"; else printf '%s\n' "$answer"; fi
    printf %s "$aside" >&2
    [ -z "$exit" ] && exit 0
    printf 'hookscope: this was not judged, and is not let through; standard output says why\n' >&2
    exit "$exit" ;;
  # It was never connected, or the server says that it has run nothing: the hooks are asked here, once.
  7:* | 0:421)
    exec 3<"$dir/in"
    ask_node "$@" --no-server ;;
  0:*) fail "the server refused the request (HTTP $status)" ;;
  28:*) fail 'the server was asked and has not answered in time' ;;
  *) fail 'the server was asked and did not answer: it has died, or hangs' ;;
esac
