#!/bin/sh
# hookscope hook, without starting Node: asks the user's server with curl, and prints and exits as `hookscope hook` does.
# sh hookscope-hook.sh [--node PATH] [options of hookscope hook] EVENT [options of hookscope hook]
# What it cannot do itself it leaves to Node, as long as nothing was sent.
# The braces make the shell read the whole script before it runs, so that later changes of the file or of its descriptor have no effect.
{
# An agent goes on after any exit code but 2. So signals, and a shell that ends by itself (an error, no free descriptors), exit with 2.
trap 'exit 2' EXIT
trap 'quit 2' HUP INT QUIT TERM PIPE XCPU
trap '' XFSZ
quit() {
  trap - EXIT
  exit "$1"
}
# bash takes options from the environment. These are turned off, so that no error or unset variable ends the script, and nothing is shown or exported.
set +abCefmuvx
# bash takes functions from the environment, too. They cannot replace `unset` and other special built-ins of POSIX. ksh has no function named `[`.
unset -f [ alias bg cat cd command curl date echo false fg getopts hash head kill ls mktemp node printf pwd read rm sleep test true type ulimit umask wait 2>/dev/null
# Sets the trap for all signals that end a shell and can be caught, except those of a crash.
at_signal() {
  trap "$1" HUP INT QUIT ABRT ALRM TERM PIPE XCPU USR1 USR2 VTALRM PROF
  # Not every system has these, and an unknown name would end the shell without `command`.
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

# If an answer cannot be printed, the call is blocked.
say() { printf "$@" || quit 2; }

# Answers if hooks could not be asked: stops what can be stopped, with the same texts as src/server/agent-protocol.ts.
fail() {
  why="hookscope: $1"
  [ "$policy" = allow ] && why="$why; nothing is blocked (--on-failure allow)"
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
    # An unknown event may be one that can be stopped, so it gets exit code 2.
    *) [ -z "$unknown" ] && quit 1 ;;
  esac
  quit 2
}

# Answers when a signal or an error ends the script. SIGKILL for its own processes, because a subshell of bash that has just started has these traps too, and would answer again.
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

# The time in tenths of a second, without starting a program. If neither source exists, it is always 0.
now() {
  if read -r uptime rest 2>/dev/null </proc/uptime; then
    rest=${uptime#*.}
    now=${uptime%%.*}${rest%"${rest#?}"}
  else
    now=${SECONDS:-}0
  fi
  case $now in *[!0-9]*) now=0 ;; esac
}
# Waits until `tenths` have passed on the clock, because on a busy machine each `sleep` takes longer than it says. Ends when the script has ended, at most a second later.
pass() {
  now
  due=$((now + tenths))
  # SECONDS may be nearly a second behind.
  [ -r /proc/uptime ] || due=$((due + 9))
  while kill -0 $$ && [ "$tenths" -gt 0 ]; do
    if [ "$tenths" -gt 10 ]; then sleep 1; else sleep "$((tenths / 10)).$((tenths % 10))"; fi
    tenths=$((tenths - 10))
    now
    [ $((due - now)) -ge "$tenths" ] || tenths=$((due - now))
  done
}

# Node writes to descriptor 4 that it begins to answer, and then the exit code of its answer (src/cli/server/last-word.ts). That goes through the pipe or the
# file of a here-document, opened once more, or where that cannot be (macOS), through a file that has no name any more.
hear_by_file() {
  {
    kept=$(mktemp) && command exec 4>>"$kept" 5<"$kept" && printf '\n' >&4 && rm -f "$kept" && kept=
  } 2>/dev/null
}

# Lets Node answer. If Node does not start (NODE_OPTIONS, memory) or is killed before it answers, the call is blocked.
ask_node() {
  command -v "$node" >/dev/null 2>&1 || fail 'neither a server nor Node is there to ask the hooks'
  { command exec 5<<END && command exec 4>>/dev/fd/5 && printf '\n' >&4; } 2>/dev/null || hear_by_file || fail 'nothing can be opened through which Node could say that it has answered'

END
  HOOKSCOPE_PARENT=$$ "$node" "$main" hook "$@" <&3 4>&4 3<&- 5<&- 7<&- &
  reader=$!
  # Node answers in time, unless a hook in it blocks its event loop.
  slack=$((tenths / 10))
  [ "$slack" -gt 20 ] && slack=20
  tenths=$((tenths + slack))
  (
    pass
    kill -0 $$ && kill -9 "$reader"
  ) >/dev/null 2>&1 </dev/null 3<&- 4>&- 5<&- &
  watcher=$!
  # From here on Node answers when a signal ends the command.
  at_signal 'kill "$reader" 2>/dev/null'
  wait "$reader" 2>/dev/null
  code=$?
  # A signal ends `wait`, but not the process.
  while [ $code -gt 128 ] && kill -0 "$reader" 2>/dev/null; do
    wait "$reader" 2>/dev/null
    code=$?
  done
  kill -9 "$watcher" 2>/dev/null
  # The last line is from here, so that no program which still has the descriptor is waited for.
  printf 'over\n' >&4
  told=
  while read -r word <&5 && [ "$word" != over ]; do [ -z "$word" ] || told=$word; done
  # However Node has ended: once it has answered, nothing is added to that.
  case $told in
    '') ;;
    [0-9]) quit "$told" ;;
    *)
      printf 'hookscope: the command that asks the hooks was ended while it answered\n' >&2
      quit 2 ;;
  esac
  case $code in
    0 | 2) quit $code ;;
    1) [ "$as" = claude-code ] && case " $* " in
        *' --on-failure allow '* | *' --on-failure=allow '*) quit 1 ;;
      esac ;;
    # SIGKILL is most often from the watcher above.
    137) fail 'its hooks have not answered in time, or the command that asks them was killed' ;;
  esac
  fail "the command that asks the hooks ended with $code"
}

# Keeps standard input as descriptor 3, because background commands have none. If it is closed, there is nothing to read.
{ command exec 3<&0; } 2>/dev/null || exec 3</dev/null

seconds() {
  case $1 in
    '' | 0* | *[!0-9]* | ??????*) return 1 ;;
  esac
  tenths=$(($1 * 8))
  [ "$1" -gt 25 ] && tenths=$((($1 - 5) * 10))
  return 0
}

# Adds a header. It fails for values that a header cannot carry: with control characters, or blanks at either end.
head=
line() {
  case $2 in
    '' | *[[:cntrl:]]* | ' '* | *' ') return 1 ;;
  esac
  head="$head$1: $2$nl"
}

# Leaves the call to Node, but only once event, agent and policy are known, which a failure message needs.
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

# The time that the agent waits, without what answering takes, in tenths of a second.
if [ "$as" != claude-code ]; then
  . "$here/hookscope-agents.sh"
  # A known event of the agent has a refusal of its own. For any other, exit code 2 stops what can be stopped.
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
# Without it no time limit could be kept.
command -v sleep >/dev/null 2>&1 || fail 'the program sleep is not found on the PATH'
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
# Only this user may be able to enter the folder, since whoever can may be at the other end. Otherwise Node reports what is wrong.
[ -S "$socket" ] && [ -O "$socket" ] && [ -O "$run" ] && [ -O "$state/fire.header" ] && [ -O "$state/server.proof" ] && [ ! -L "$run" ] || ask_node "$@"
# Reading a pipe or a device may never end, and without token and proof there is no server to ask.
[ -f "$state/fire.header" ] && [ -f "$state/server.proof" ] && [ -s "$state/fire.header" ] && [ -s "$state/server.proof" ] || ask_node "$@"
# The headers go to curl through a descriptor, so that neither a command line nor a file shows them.
command -v curl >/dev/null 2>&1 && [ -e /dev/fd/3 ] || ask_node "$@"
cd -P . && line hookscope-cwd "$PWD" || ask_node "$@"
for name in AI_AGENT CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PROJECT_DIR COPILOT_PROJECT_DIR CURSOR_PROJECT_DIR GEMINI_CWD GEMINI_PROJECT_DIR GEMINI_SESSION_ID LANG LC_ALL TRACEPARENT TRACESTATE TZ; do
  eval "value=\${$name+$name=\$$name}"
  [ -z "$value" ] || line hookscope-env "$value" || case $name in
    # Without this variable, other hooks would be asked.
    *_PROJECT_DIR | GEMINI_CWD) ask_node "$@" ;;
  esac
done
line hookscope-on-failure "$policy"

# Opened now, because another file may be in its place by the time that it is read.
{ command exec 7<"$state/server.proof" && [ -f /dev/fd/7 ]; } 2>/dev/null || ask_node "$@"

# The output of curl comes through a pipe: that of a here-document, opened once more. If the shell uses no pipe for it (macOS), it is a file, which is unlinked at once.
exec 5<<END

END
if ! { [ -p /dev/fd/5 ] && command exec 4>/dev/fd/5 && read -r answer <&5; } 2>/dev/null; then
  n=0
  set -C
  while
    kept=$run/hook.$$.$n
    # Opening a pipe that someone has put there would wait for a reader.
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

# Prints the address and the token for curl, if folder and files are closed to other users. Otherwise it prints nothing, and Node reports what is wrong.
# Both files have one line; a longer file may have no end.
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

# Runs curl, which reads standard input only when it is connected, so that Node can still read it if it never is. Its messages and TLS are not needed.
ask() {
  # Separate, because `export LC_ALL=C` would list all exported variables under the option -k of bash.
  LC_ALL=C OPENSSL_CONF=/dev/null
  export LC_ALL OPENSSL_CONF
  # Limits the output if it is a file; in units of 512 or 1024 bytes. The output may contain the whole input, sent back.
  command ulimit -f 140000 2>/dev/null
  exec curl -q -sS -K /dev/fd/8 -X POST -T - --unix-socket "$socket" --noproxy '*' --connect-timeout 5 --max-time "$within" \
    -H @/dev/fd/9 -H "hookscope-within: $within" -D - -w '\n' 8<&0 <&3 >&4 2>/dev/null 3<&- 4>&- 5<&- 7<&- 9<<END
${head}Content-Type: application/json
Expect:
END
}
# Asks Node after the server has run nothing, with the time that is left, converted back to the agent's timeout (see seconds()).
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
# curl takes longest to load, so it gets the address through a pipe meanwhile. A shell without pipes for here-documents may not be able to open this one either.
if [ -z "$kept" ]; then
  { address 3<&- 4>&- 5<&- 7<&-; } | ask &
else
  ask <<END &
$(address)
END
fi
reader=$!
# The watcher ends curl, because the agent may leave standard input open, for which curl before 7.87 waits forever.
# It also ends when the script has: the agent may have killed that, and its process id may be reused later.
(
  exec >/dev/null 2>&1 </dev/null 3<&- 4>&- 5<&- 7<&-
  [ -z "$kept" ] || rm -f "$kept"
  pass
  kill "$reader"
) &
watcher=$!
exec 4>&-
# Waits for curl; some shells print the signal that ended it. A pipe must be read before, because its buffer is limited.
over() {
  wait "$reader" 2>/dev/null
  code=$?
  reader=
  kill -9 "$watcher" 2>/dev/null
  # Otherwise bash would report that the watcher was killed, when it waits for another program later.
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
# A head ends with an empty line; each line has a carriage return. Heads of interim responses (1xx) may come first.
while read -r field; do
  field=${field%?}
  case $field in
    HTTP/*' '???*)
      length=
      shown=
      exit=
      aside=
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
# The server was asked, so this file was checked to be short. Without a proof here, no proof in the answer is valid.
proof=
[ -z "$status" ] || read -r proof <&7
[ -n "$proof" ] || shown=none
exec 7<&-
stranger="what answers on the server's socket does not prove that it is the server of this user: find out which program it is"
# The server has run nothing and returns the input, so the hooks are asked here, once.
if [ "$status$returned" = 421yes ] && [ "$shown" = "$proof" ]; then
  kill -9 "$watcher" 2>/dev/null
  wait "$watcher" 2>/dev/null
  exec 3<&5 5<&-
  ask_node_instead "$@"
fi
# Fails without reading the rest of the answer.
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
# A body may have no end, and shells read a large one slowly, so `head` reads at most 8 MiB of it (src/server/client/ask.ts).
case $length in
  ? | ?? | ??? | ????)
    IFS= read -r answer <&5
    # The answer is one line, and that of curl's `-w` ends it.
    IFS= read -r rest <&5 && answer=$nl ;;
  *) answer=$(head -c 8388608 <&5 2>/dev/null) || drop 'the program head is not found on the PATH' ;;
esac
if [ ${#answer} -gt 2000000 ] && [ -n "$(head -c 1 <&5)" ]; then drop 'the answer of the server is larger than 8 MiB'; fi
[ -z "$reader" ] || over
case $code:$status in
  0:200)
    # The server writes an object on one line; only its beginning and end are checked.
    case $answer in
      '{}') [ "$as" = claude-code ] && quit 0 ;;
      *"$nl"*) fail 'the server was asked and did not answer: it has died, or hangs' ;;
      '{"'*[]}\"0-9el]'}') ;;
      *) fail 'the server was asked and did not answer: it has died, or hangs' ;;
    esac
    if [ "$answer" = '{}' ]; then say %s "$quiet"; else say '%s\n' "$answer"; fi
    printf %s "$aside" >&2
    quit "${exit:-0}" ;;
  # curl could not connect, so the hooks are asked here, once.
  7:*) ask_node_instead "$@" ;;
  # curl got no address, is too old for these options, cannot do this, or was not started.
  2:* | 4: | 126: | 127:) ask_node "$@" ;;
  0:*)
    # Without a final status nothing was proved above.
    [ "$shown" = "$proof" ] || fail "$stranger"
    [ -n "$exit" ] || fail "the server refused the request (HTTP $status)"
    # The server has answered by itself, and nothing can be stopped.
    printf %s "$aside" >&2
    quit "$exit" ;;
  # curl ended by its own limit or by the watcher, for which ksh and yash have codes of their own.
  28:* | 143:* | 271:* | 399:*)
    # Reading on shows whether standard input was closed.
    open=$(
      exec 2>/dev/null
      cat <&3 >/dev/null &
      sleep 0.2
      kill $!
      wait $!
      # 127: there is no `cat`, so that nothing is known.
      case $? in 0 | 127) echo closed ;; esac
    )
    [ "$open" = closed ] || fail 'standard input was not closed in time'
    fail 'the server was asked and has not answered in time' ;;
  *) fail 'the server was asked and did not answer: it has died, or hangs' ;;
esac
}
