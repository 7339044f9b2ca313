import { MAX_OUTPUT_BYTES } from '../outputs/output-limit.ts'
import { DEPENDENCY_FAILED } from '../plan/observed.ts'
import { shellQuoted } from './shell-quote.ts'

/** What a container's command is wrapped for. */
export interface Wrapping {
  /** Nobody but the wrapper prints lines that begin with it. */
  nonce: string
  /** Files whose content is printed after the command has ended, by the name under which it is found again. */
  files?: readonly { name: string; path: string }[]
  /** The standard output is kept apart from the standard error, and printed once more in the end. */
  keepsResult?: boolean
  /** The container stays after its command until it is released, so that files can be fetched from it. */
  holds?: boolean
  /** Of a set of containers: those that have to succeed before. */
  waitsFor?: readonly string[]
  /** Of a set of containers: those that have to end before what is asked for is looked at. */
  outlasts?: readonly string[]
  /** Of a set of containers: the name under which others wait for this one. */
  reportsAs?: string
  /** Of a set of containers: how often a failed command is started again, and after how many seconds. */
  retries?: { count: number; pauseSeconds: number }
}

/** Where the wrapper keeps what it needs; an emptyDir that all containers of the pod share. */
export const WRAPPER_FOLDER = '/tiphys'
export const FRAME_PREFIX = '::tiphys:'

export const needsFolder = ({ keepsResult, waitsFor = [], outlasts = [], reportsAs }: Wrapping): boolean =>
  keepsResult === true || waitsFor.length > 0 || outlasts.length > 0 || reportsAs !== undefined

/** The command, run by `sh`: its exit code is the container's, a SIGTERM reaches it, and what is asked for is printed
 *  between frames as the last lines of the log. */
export function wrapped(command: readonly string[], wrapping: Wrapping): string[] {
  // Kubernetes makes one dollar sign of two, and may take one for a variable of its own.
  return ['/bin/sh', '-c', script(wrapping).replaceAll('$', '$$$$'), 'tiphys', ...command]
}

function script(wrapping: Wrapping): string {
  const { nonce, files = [], keepsResult, holds, waitsFor = [], outlasts = [], reportsAs, retries } = wrapping
  const parts = files.map(({ name, path }) => `give ${shellQuoted(name)} ${shellQuoted(path)}`)
  const result = `${WRAPPER_FOLDER}/${reportsAs ?? 'main'}.stdout`
  const lines = [
    // A shell gives what it starts in the background no input of its own accord.
    'exec 3<&0',
    `say() { printf '${FRAME_PREFIX}${nonce}:%s\\n' "$1"; }`,
    ...(parts.length > 0 || keepsResult ? [GIVE] : []),
    ...waitsFor.map(name => waitForContainer(name, reportsAs)),
    ...(keepsResult ? keeping(result) : ['start() { "$@" <&3 3<&- & p=$!; }', 'finish() { :; }']),
    RUN,
    ...(retries ? retrying(retries) : ['run "$@"']),
    ...(reportsAs === undefined ? [] : [`echo $c >${WRAPPER_FOLDER}/${reportsAs}.code`]),
    ...outlasts.map(untilEnded),
    // What the command printed may not end with a line break.
    ...(parts.length > 0 || keepsResult || holds ? ["printf '\\n'"] : []),
    ...parts,
    ...(keepsResult ? [`[ -z "$kept" ] || give result ${result}`] : []),
    ...(holds ? [HOLD] : []),
    'exit $c',
  ]
  return lines.join('\n')
}

/** One byte more than may be given shows that there was more. */
const GIVE = `give() {
if [ ! -e "$2" ]; then say "missing:$1"
elif [ ! -f "$2" ] || [ ! -r "$2" ]; then say "unreadable:$1"
elif command -v base64 >/dev/null 2>&1; then say "base64:$1"; head -c ${MAX_OUTPUT_BYTES + 1} "$2" | base64; say "end:$1"
else say "hex:$1"; head -c ${MAX_OUTPUT_BYTES + 1} "$2" | od -An -v -tx1; say "end:$1"
fi
}`

/** A trap ends `wait` early: it is called again for the command's own end, of which 127 means that it is known already. */
const RUN = `run() {
t= p=
trap 't=1; [ -z "$p" ] || kill -TERM $p 2>/dev/null' TERM
start "$@"
[ -z "$t" ] || kill -TERM $p 2>/dev/null
wait $p; c=$?
while [ -n "$t" ]; do t=; wait $p; n=$?; [ $n = 127 ] || c=$n; done
finish
}`

function keeping(result: string): string[] {
  const pipe = `${result}.pipe`
  return [
    'kept=',
    `if command -v mkfifo >/dev/null 2>&1 && command -v tee >/dev/null 2>&1; then kept=1; fi`,
    `start() { if [ -n "$kept" ]; then rm -f ${pipe}; mkfifo ${pipe}; tee ${result} <${pipe} & q=$!; "$@" <&3 3<&- >${pipe} & p=$!; else "$@" <&3 3<&- & p=$!; fi; }`,
    // What the command has left running may hold the pipe open; the command's own end counts.
    `finish() { if [ -n "$kept" ]; then ( sleep 2; kill $q 2>/dev/null ) >/dev/null 2>&1 & k=$!; wait $q 2>/dev/null; kill $k 2>/dev/null; fi; }`,
  ]
}

function retrying({ count, pauseSeconds }: { count: number; pauseSeconds: number }): string[] {
  return [
    'a=0',
    `while :; do run "$@"; [ $c = 0 ] || [ $a -ge ${count} ] && break; a=$((a+1))${pauseSeconds > 0 ? `; sleep ${pauseSeconds}` : ''}; done`,
  ]
}

const untilEnded = (name: string): string =>
  `until [ -s ${WRAPPER_FOLDER}/${name}.code ]; do sleep 0.1 2>/dev/null || sleep 1; done`

/** What fails for that is waited for as well. */
function waitForContainer(name: string, reportsAs: string | undefined): string {
  const file = `${WRAPPER_FOLDER}/${name}.code`
  const report = reportsAs === undefined ? '' : `echo ${DEPENDENCY_FAILED} >${WRAPPER_FOLDER}/${reportsAs}.code; `
  return [
    untilEnded(name),
    `if [ "$(cat ${file})" != 0 ]; then echo "the container ${name} failed" >&2; ${report}exit ${DEPENDENCY_FAILED}; fi`,
  ].join('\n')
}

/** SIGUSR1 releases it; told to end, it ends at once. */
const HOLD = `r=
trap 'r=1' USR1
trap 'exit $c' TERM
say "held:$$"
while [ -z "$r" ]; do sleep 1 & wait $!; done`
