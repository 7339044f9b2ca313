import type { Container, EnvVar, PodSpec, VolumeMount } from '@tiphys/kube/kinds'
import type { Artifact, GitLocation, KeyRef } from '../spec/workflow.ts'
import { shellQuoted } from './shell-quote.ts'

/** The emptyDir in which input artifacts arrive, each under its own name. */
export const INPUTS_VOLUME = 'tiphys-inputs'
const INPUTS_FOLDER = '/tiphys-inputs'
/** The container that waits for the engine to stream artifacts into it. */
export const INPUTS_CONTAINER = 'tiphys-inputs'

/** The last entry of the archive that is streamed into it. An archive that breaks off, which tar may well take for a whole one,
 *  does not have it. */
export const LAST_INPUT = '.last'

/** What the engine runs inside it: takes a tar archive in, then lets the pod go on. */
export const RECEIVE_INPUTS = [
  'sh',
  '-c',
  `tar -xf - -C ${INPUTS_FOLDER} && [ -e ${INPUTS_FOLDER}/${LAST_INPUT} ] && : >${INPUTS_FOLDER}/.complete`,
]

/** What the engine runs inside it when nothing more will come: says why, and ends it. */
export const refuseInputs = (why: string): string[] => [
  'sh',
  '-c',
  'printf %s "$1" >/dev/termination-log; kill -TERM 1',
  'tiphys',
  why,
]

/** Artifacts that the engine brings; those from git are fetched in the pod itself. */
export const broughtArtifacts = (artifacts: readonly Artifact[]): Artifact[] => artifacts.filter(({ git }) => !git)

/** What a namespace may ask of every container, and what these need no more than: the user of the step's own container, so that what they
 *  bring is that one's, and no privileges. */
export function inputSecurity(pod: PodSecurity | undefined, own: SecurityContext | undefined): SecurityContext {
  const { runAsUser, runAsGroup, runAsNonRoot, seccompProfile } = own ?? {}
  const isNonRoot = runAsNonRoot ?? pod?.runAsNonRoot
  // Their image is for root unless it is told otherwise.
  const user = runAsUser ?? (isNonRoot === true && pod?.runAsUser === undefined ? NOBODY : undefined)
  return {
    ...(user !== undefined && { runAsUser: user }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    ...(runAsNonRoot !== undefined && { runAsNonRoot }),
    ...(seccompProfile && { seccompProfile }),
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  }
}

type SecurityContext = NonNullable<Container['securityContext']>
type PodSecurity = NonNullable<PodSpec['securityContext']>

const NOBODY = 65534

/** The containers that have to end before the step's own begin. */
export function inputContainers(
  artifacts: readonly Artifact[],
  image: string,
  securityContext: SecurityContext,
): Container[] {
  const volumeMounts = [{ name: INPUTS_VOLUME, mountPath: INPUTS_FOLDER }]
  const wait = `trap 'exit 143' TERM; until [ -e ${INPUTS_FOLDER}/.complete ]; do sleep 0.1 2>/dev/null || sleep 1; done`
  return [
    ...artifacts.flatMap(({ name, git }, index) =>
      git ? [{ ...gitContainer(`tiphys-git-${index}`, name, git, image, volumeMounts), securityContext }] : [],
    ),
    ...(broughtArtifacts(artifacts).length > 0
      ? [{ name: INPUTS_CONTAINER, image, command: ['sh', '-c', wait], volumeMounts, securityContext }]
      : []),
  ]
}

/** Each artifact appears where the template wants it. */
export const inputMounts = (artifacts: readonly Artifact[]): VolumeMount[] =>
  artifacts.map(({ name, path = '' }) => ({ name: INPUTS_VOLUME, mountPath: path, subPath: name }))

function gitContainer(
  name: string,
  artifact: string,
  git: GitLocation,
  image: string,
  volumeMounts: VolumeMount[],
): Container {
  const { repo, revision, branch, depth, singleBranch, fetch = [], disableSubmodules, insecureSkipTLS } = git
  const folder = `${INPUTS_FOLDER}/${artifact}`
  const clone = [
    'git clone',
    ...(depth === undefined ? [] : [`--depth ${Number(depth)}`]),
    ...(branch === undefined ? [] : [`--branch ${shellQuoted(branch)}`]),
    ...(singleBranch === true ? ['--single-branch'] : []),
    ...(disableSubmodules === true || revision !== undefined ? [] : ['--recurse-submodules']),
    '-- "$REPO"',
    shellQuoted(folder),
  ]
  const secret = (variable: string, ref: KeyRef | undefined): EnvVar[] =>
    ref ? [{ name: variable, valueFrom: { secretKeyRef: { name: ref.name, key: ref.key } } }] : []
  const lines = [
    'set -e',
    // Git asks these instead of a person; nothing secret stands on a command line.
    `if [ -n "$GIT_USER$GIT_PASSWORD" ]; then git config --global credential.helper '!f() { echo "username=$GIT_USER"; echo "password=$GIT_PASSWORD"; }; f'; fi`,
    ...(git.sshPrivateKeySecret
      ? [
          'umask 077; mkdir -p "$HOME"; printf "%s\\n" "$SSH_KEY" >"$HOME/key"; umask 022',
          `export GIT_SSH_COMMAND="ssh -i $HOME/key -o IdentitiesOnly=yes${git.insecureIgnoreHostKey ? ' -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null' : ''}"`,
        ]
      : []),
    ...(insecureSkipTLS === true ? ['git config --global http.sslVerify false'] : []),
    clone.join(' '),
    `cd ${shellQuoted(folder)}`,
    ...fetch.map(spec => `git fetch origin ${shellQuoted(spec)}`),
    ...(revision === undefined ? [] : [`git checkout ${shellQuoted(revision)} --`]),
    ...(disableSubmodules === true || revision === undefined ? [] : ['git submodule update --init --recursive']),
  ]
  return {
    name,
    image,
    command: ['sh', '-c', lines.join('\n')],
    // Git's last words are what people want to know.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    env: [
      { name: 'REPO', value: repo },
      { name: 'HOME', value: `/tmp/${name}` },
      { name: 'GIT_TERMINAL_PROMPT', value: '0' },
      ...secret('GIT_USER', git.usernameSecret),
      ...secret('GIT_PASSWORD', git.passwordSecret),
      ...secret('SSH_KEY', git.sshPrivateKeySecret),
    ],
    volumeMounts,
  }
}
