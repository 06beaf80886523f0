#!/bin/sh
# hookscope hook, without starting Node: asks the user's server with curl, and says and exits as `hookscope hook` does.
# sh hookscope-hook.sh [--node PATH] [options of hookscope hook] EVENT [options of hookscope hook]
# Whatever it does not know how to do it leaves to Node, as long as nothing was sent.
# It is read as a whole before it begins: nothing that gets into its place later, or onto its descriptor, is taken for it.
{
# An agent goes on after any other code than 2: after that of a signal, and after that of a shell which ends by itself (for an error of its own, for want of a descriptor).
trap 'exit 2' EXIT
trap 'quit 2' HUP INT QUIT TERM PIPE XCPU
trap '' XFSZ
quit() {
  trap - EXIT
  exit "$1"
}
# A bash takes options from the environment, too: no error ends it, no name needs a value, and nothing is shown or exported.
set +abCefmuvx
# And functions. None can stand in for `unset`, or for what else is special to POSIX. A ksh does not know of a function named `[`.
unset -f [ alias bg cat cd command curl date echo false fg getopts hash head kill ls node printf pwd read rm sleep test true type ulimit umask wait 2>/dev/null
# Whatever ends a shell and can be caught, but what tells of a crash.
at_signal() {
  trap "$1" HUP INT QUIT ABRT ALRM TERM PIPE XCPU USR1 USR2 VTALRM PROF
  # Not each system has these, and of a name that it does not know a shell would end.
  for one in IO POLL PWR STKFLT SYS; do command trap "$1" "$one"; done 2>/dev/null
}
at_signal 'quit 2'
unset CDPATH
umask 077
node=node
if [ "$1" = --node ]; then
  node=$2
  shift 2
fi
event=
as=claude-code
alone=
unknown=yes
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

# An answer that nobody gets lets nothing through.
say() { printf "$@" || quit 2; }

# Nothing was judged: what can be stopped is, in the same words as the command's own (src/server/agent-protocol.ts).
fail() {
  why="hookscope: $1"
  printf '%s\n' "$why" >&2
  if [ "$as" != claude-code ]; then
    if [ "$policy" = allow ]; then say %s "$quiet"; else agent_refuses "$as" "$event" "$why" || quit 2; fi
    quit 0
  fi
  [ "$policy" = allow ] && quit 1
  case $event in
    PreToolUse | PreModelSwitch)
      say '{"hookSpecificOutput":{"hookEventName":"%s","permissionDecision":"deny","permissionDecisionReason":"%s"}}\n' "$event" "$why" ;;
    PermissionRequest)
      say '{"hookSpecificOutput":{"hookEventName":"%s","decision":{"behavior":"deny","message":"%s"}}}\n' "$event" "$why" ;;
    PostToolUse | PostToolUseFailure | UserPromptSubmit | PreCompact | PostToolBatch | UserPromptExpansion | TaskCreated | ConfigChange | WorktreeCreate)
      say '{"decision":"block","reason":"%s","hookSpecificOutput":{"hookEventName":"%s"}}\n' "$why" "$event" ;;
    # Of an event that nobody knows it is not known either whether it can be stopped.
    *) [ -z "$unknown" ] && quit 1 ;;
  esac
  quit 2
}

# Whoever ends it gets an answer, too. A subshell of bash that has just begun has these traps as well, and would give that answer once more: SIGKILL runs none.
ended() {
  trap 'exit 2' EXIT
  at_signal ''
  [ -z "$reader" ] || kill -9 "$reader" 2>/dev/null
  [ -z "$watcher" ] || kill -9 "$watcher" 2>/dev/null
  [ -z "$kept" ] || rm -f "$kept"
  fail 'it was ended before the hooks had answered'
}
reader=
watcher=
kept=

# It stands in for no answer of Node's that is none: one that does not start (NODE_OPTIONS, memory) or is killed lets nothing through.
ask_node() {
  command -v "$node" >/dev/null 2>&1 || fail 'neither a server nor Node is there to ask the hooks'
  HOOKSCOPE_PARENT=$$ "$node" "$main" hook "$@" <&3 3<&- 7<&- &
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
  # Node gives the answer of one that is ended, too.
  at_signal 'kill "$reader" 2>/dev/null'
  wait "$reader" 2>/dev/null
  code=$?
  # A signal ends the waiting, not what is waited for.
  while [ $code -gt 128 ] && kill -0 "$reader" 2>/dev/null; do
    wait "$reader" 2>/dev/null
    code=$?
  done
  kill -9 "$watcher" 2>/dev/null
  case $code in
    0 | 2) quit $code ;;
    1) [ "$as" = claude-code ] && case " $* " in
        *' --on-failure allow '* | *' --on-failure=allow '*) quit 1 ;;
      esac ;;
    # Of SIGKILL nothing says whose it was: most often the one above.
    137) fail 'its hooks have not answered in time, or the command that asks them was killed' ;;
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
  if agent_event "$as" "$event"; then unknown=
  else
    as=claude-code
    leave
  fi
  line hookscope-as "$as"
else unknown=; case $event in
  SessionEnd) tenths=12 ;;
  MessageDisplay) tenths=80 ;;
  UserPromptSubmit | PreModelSwitch | PostModelSwitch) tenths=250 ;;
  PreToolUse | PostToolUse | PostToolUseFailure | PermissionRequest | SessionStart | Setup | Stop | SubagentStart | SubagentStop | PreCompact | Notification | TeammateIdle | TaskCompleted | PostToolBatch | PermissionDenied | UserPromptExpansion | StopFailure | PostCompact | TaskCreated | Elicitation | ElicitationResult | ConfigChange | InstructionsLoaded | CwdChanged | DirectoryAdded | FileChanged | WorktreeCreate | WorktreeRemove)
    tenths=5950 ;;
  *)
    unknown=yes
    leave ;;
esac; fi
at_signal ended
trap ended EXIT
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
# To read what is no file (a pipe, a device) may never end, and without a token or a proof there is nobody to ask.
[ -f "$state/fire.header" ] && [ -f "$state/server.proof" ] && [ -s "$state/fire.header" ] && [ -s "$state/server.proof" ] || ask_node "$@"
# The head of the request is told by a descriptor: neither a command line nor a file shows it.
command -v curl >/dev/null 2>&1 && [ -e /dev/fd/3 ] || ask_node "$@"
cd -P . && line hookscope-cwd "$PWD" || ask_node "$@"
for name in AI_AGENT CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PROJECT_DIR COPILOT_PROJECT_DIR CURSOR_PROJECT_DIR GEMINI_CWD GEMINI_PROJECT_DIR GEMINI_SESSION_ID LANG LC_ALL TRACEPARENT TRACESTATE TZ; do
  eval "value=\${$name+$name=\$$name}"
  [ -z "$value" ] || line hookscope-env "$value" || case $name in
    # Without it other hooks would be asked.
    *_PROJECT_DIR | GEMINI_CWD) ask_node "$@" ;;
  esac
done
line hookscope-on-failure "$policy"

# Opened now, since something else may be in its place by the time that it is read.
{ command exec 7<"$state/server.proof" && [ -f /dev/fd/7 ]; } 2>/dev/null || ask_node "$@"

# What curl writes comes through a pipe: the one that a shell makes of a here-document, opened once more. Where there is none (macOS) it is a file, which loses its name at once.
exec 5<<END

END
if ! { [ -p /dev/fd/5 ] && command exec 4>/dev/fd/5 && read -r answer <&5; } 2>/dev/null; then
  n=0
  set -C
  while
    kept=$run/hook.$$.$n
    # To write to a pipe that somebody has put there would wait for who reads it.
    [ -e "$kept" ] || [ -L "$kept" ] || ! { command exec 4>"$kept"; } 2>/dev/null
  do
    n=$((n + 1))
    [ $n -lt 9 ] || {
      kept=
      ask_node "$@"
    }
  done
  set +C
  exec 5<"$kept"
fi

# Who can be at the other end is whoever can enter the folder: nobody but this user, or there is no address, and Node says what is wrong.
# Both files are of one line; what is longer may have no end. The token goes to curl with the address.
address() {
  open=$(LC_ALL=C ls -dn "$run" "$state/fire.header" "$state/server.proof" 2>/dev/null)
  case $open in
    *"$nl"*"$nl"*"$nl"*) return ;;
    d??x------*"$nl"-???------*"$nl"-???------* | -???------*"$nl"d??x------*"$nl"-???------* | -???------*"$nl"-???------*"$nl"d??x------*) ;;
    *) return ;;
  esac
  while read -r mode links user group size rest; do
    case $mode:$size in
      -*:????*) return ;;
    esac
  done <<END
$open
END
  read -r token <"$state/fire.header" && [ -n "$token" ] && printf 'url = "http://hookscope/hooks/%s"\nheader = "%s"\n' "$event" "$token"
}

# curl reads standard input itself, and not before it is connected: if it never is, Node reads it. Neither its own texts nor its TLS are needed.
ask() {
  # With the option keyword of a bash (-k), `export LC_ALL=C` would list all that is exported.
  LC_ALL=C OPENSSL_CONF=/dev/null
  export LC_ALL OPENSSL_CONF
  # Where what it writes is a file, that has an end too; in units of 512 bytes, or twice as many. It may be sent back what it was given.
  command ulimit -f 140000 2>/dev/null
  exec curl -q -sS -K /dev/fd/8 -X POST -T - --unix-socket "$socket" --noproxy '*' --connect-timeout 5 --max-time "$within" \
    -H @/dev/fd/9 -H "hookscope-within: $within" -D - -w '\n' 8<&0 <&3 >&4 2>/dev/null 3<&- 4>&- 5<&- 7<&- 9<<END
${head}Content-Type: application/json
Expect:
END
}
# In tenths of a second, without a program; where neither is there, nothing is known to have passed.
now() {
  if read -r uptime rest 2>/dev/null </proc/uptime; then
    rest=${uptime#*.}
    now=${uptime%%.*}${rest%"${rest#?}"}
  else
    now=${SECONDS:-}0
  fi
  case $now in *[!0-9]*) now=0 ;; esac
}
# Node, which is asked after the server has run nothing, has what is left of the time. It counts as the agent does: see seconds().
ask_node_instead() {
  now
  tenths=$((tenths - now + began))
  left=$((tenths / 8))
  [ "$left" -gt 25 ] && left=$((tenths / 10 + 5))
  [ "$left" -gt 0 ] || fail 'the server was asked and has not answered in time'
  ask_node "$@" --timeout "$left" --no-server
}
now
began=$now
within=$((tenths / 10)).$((tenths % 10))
# It takes longer to load than all else, and is told the address by then. A shell without such pipes may have none that can be opened here either.
if [ -z "$kept" ]; then
  { address 3<&- 4>&- 5<&- 7<&-; } | ask &
else
  ask <<END &
$(address)
END
fi
reader=$!
# An agent that leaves its end open must not be waited for until it gives up, and a curl before 7.87 waits for ever.
# It looks once a second whether it is still wanted: an agent may have killed what started it, and its process id be somebody else's later.
(
  exec >/dev/null 2>&1 </dev/null 3<&- 4>&- 5<&- 7<&-
  [ -z "$kept" ] || rm -f "$kept"
  while kill -0 $$ && [ "$tenths" -gt 10 ]; do
    sleep 1
    tenths=$((tenths - 10))
  done
  kill -0 $$ && sleep "0.$((tenths % 10))"
  kill "$reader"
) &
watcher=$!
exec 4>&-
# How curl ended; some shells print how a signal ended it. A pipe is read before, since it holds only so much.
over() {
  wait "$reader" 2>/dev/null
  code=$?
  reader=
  kill -9 "$watcher" 2>/dev/null
  # A bash that waits for another program later would say of this one that it was killed.
  [ -z "$kept" ] || wait "$watcher" 2>/dev/null
  watcher=
}
[ -z "$kept" ] || {
  over
  rm -f "$kept"
  kept=
}

status=
shown=
exit=
aside=
length=
returned=
# A head ends with an empty line, which has the carriage return of every line of it. In front of an answer's may be others, which say nothing.
while read -r field; do
  field=${field%?}
  case $field in
    HTTP/*' '???*)
      length=
      status=${field#* }
      status=${status%% *} ;;
    [Hh]ookscope-[Pp]roof:*) shown=${field#*: } ;;
    [Hh]ookscope-[Ee]xit:*) exit=${field#*: } ;;
    [Hh]ookscope-[Aa]side:*) aside="$aside${field#*: }$nl" ;;
    [Hh]ookscope-[Rr]eturned:*) returned=yes ;;
    [Cc]ontent-[Ll]ength:*) length=${field#*: } ;;
    '') case $status in 1*) ;; *) break ;; esac ;;
  esac
done <&5
# It was asked, so this is a short file. Without a proof of ours there is none that could be shown.
proof=
[ -z "$status" ] || read -r proof <&7
[ -n "$proof" ] || shown=none
exec 7<&-
stranger="what answers on the server's socket does not prove that it is the server of this user: find out which program it is"
# The server has run nothing, and gives back what it was sent: the hooks are asked here, once.
if [ "$status$returned" = 421yes ] && [ "$shown" = "$proof" ]; then
  kill -9 "$watcher" 2>/dev/null
  wait "$watcher" 2>/dev/null
  exec 3<&5 5<&-
  ask_node_instead "$@"
fi
# What nobody waits for is not read on.
drop() {
  exec 5<&-
  [ -z "$reader" ] || kill "$reader" 2>/dev/null
  [ -z "$reader" ] || over
  fail "$1"
}
case $status in
  '' | 1*) ;;
  *) [ "$shown" = "$proof" ] || drop "$stranger" ;;
esac
# Most often there is nothing to say. A body may have no end, and a bash takes long over a large one: 8 MiB are enough (src/server/client/ask.ts).
if [ "$length" = 2 ]; then IFS= read -r answer <&5; else answer=$(head -c 8388608 <&5); fi
if [ ${#answer} -gt 2000000 ] && [ -n "$(head -c 1 <&5)" ]; then drop 'the answer of the server is larger than 8 MiB'; fi
[ -z "$reader" ] || over
case $code:$status in
  0:200)
    # An object on one line, as the server writes it: its beginning and end are looked at, not all that is in it.
    case $answer in
      '{}') [ "$as" = claude-code ] && quit 0 ;;
      *"$nl"*) fail 'the server was asked and did not answer: it has died, or hangs' ;;
      '{"'*[]}\"0-9el]'}') ;;
      *) fail 'the server was asked and did not answer: it has died, or hangs' ;;
    esac
    if [ "$answer" = '{}' ]; then say %s "$quiet"; else say '%s\n' "$answer"; fi
    printf %s "$aside" >&2
    [ -z "$exit" ] && quit 0
    printf 'hookscope: this was not judged, and is not let through; standard output says why\n' >&2
    quit "$exit" ;;
  # It was never connected: the hooks are asked here, once.
  7:*) ask_node_instead "$@" ;;
  # It was given no address, or is too old for these options.
  2:*) ask_node "$@" ;;
  0:*) fail "the server refused the request (HTTP $status)" ;;
  # Ended by itself or by the watcher, which a ksh and a yash say in their own way.
  28:* | 143:* | 271:* | 399:*)
    # Whether standard input was closed shows whoever reads on.
    open=$(
      exec 2>/dev/null
      cat <&3 >/dev/null &
      sleep 0.2
      kill $!
      wait $! && echo closed
    )
    [ "$open" = closed ] || fail 'standard input was not closed in time'
    fail 'the server was asked and has not answered in time' ;;
  *) fail 'the server was asked and did not answer: it has died, or hangs' ;;
esac
}
