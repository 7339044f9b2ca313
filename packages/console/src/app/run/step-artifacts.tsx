import { useQuery } from '@tanstack/react-query'
import type { RunDetail, StepDetail } from '@tiphys/archive'
import type { ReactElement } from 'react'
import type { ArtifactState } from '../../api/artifact.ts'
import { formatBytes } from '../parts/figure-words.ts'
import { Icon } from '../parts/icon.tsx'
import { address, get } from '../request.ts'

type Side = ArtifactState['of']
type Artifact = NonNullable<StepDetail['outputArtifacts']>[number]

const artifactsOf = (step: StepDetail, side: Side): readonly Artifact[] =>
  (side === 'inputs' ? step.inputArtifacts : step.outputArtifacts) ?? []

const TITLES: Readonly<Record<Side, string>> = { inputs: 'Input artifacts', outputs: 'Output artifacts' }

/** The files and folders that a step was given and gave. */
export function StepArtifacts({ run, step }: { run: RunDetail['run']; step: StepDetail }): ReactElement {
  return (
    <>
      {(['inputs', 'outputs'] as const).map(side => {
        const artifacts = artifactsOf(step, side)
        return artifacts.length === 0 ? null : (
          <section key={side}>
            <h3>{TITLES[side]}</h3>
            <ul className="artifacts">
              {artifacts.map(artifact => (
                <ArtifactItem key={artifact.name} run={run} step={step} side={side} artifact={artifact} />
              ))}
            </ul>
          </section>
        )
      })}
    </>
  )
}

interface RunOutput {
  step: StepDetail
  artifact: Artifact
}

/** Artifacts that steps gave as outputs of the run: of one name the last. */
export function runOutputs(steps: readonly StepDetail[]): readonly RunOutput[] {
  const given = steps
    .flatMap(step => artifactsOf(step, 'outputs').map(artifact => ({ step, artifact })))
    .filter(({ artifact }) => artifact.globalName !== undefined)
    .sort((a, b) => a.step.changedAt - b.step.changedAt)
  return [...new Map(given.map(output => [output.artifact.globalName, output])).values()]
}

export function RunArtifacts({ run, outputs }: { run: RunDetail['run']; outputs: readonly RunOutput[] }): ReactElement {
  return (
    <section>
      <h3>{TITLES.outputs}</h3>
      <ul className="artifacts">
        {outputs.map(({ step, artifact }) => (
          <ArtifactItem key={artifact.globalName} run={run} step={step} side="outputs" artifact={artifact} isOfRun />
        ))}
      </ul>
    </section>
  )
}

interface ArtifactItemProps {
  run: RunDetail['run']
  step: StepDetail
  side: Side
  artifact: Artifact
  isOfRun?: boolean
}

function ArtifactItem({ run, step, side, artifact, isOfRun = false }: ArtifactItemProps): ReactElement {
  const { name, globalName, path, key, store, from, bytes } = artifact
  const shown = isOfRun ? (globalName ?? name) : name
  const place = `/runs/${encodeURIComponent(run.namespace)}/${encodeURIComponent(run.name)}/artifacts/${encodeURIComponent(step.step)}`
  // One question for all of a step.
  const states = useQuery({
    queryKey: ['artifacts', run.uid, step.step, step.changedAt],
    queryFn: ({ signal }) => get<readonly ArtifactState[]>(place, { uid: run.uid }, signal),
    enabled: key !== undefined,
    retry: false,
  })
  const state = states.data?.find(each => each.of === side && each.name === name)
  const size = bytes ?? state?.bytes
  // What is kept nowhere says where it comes from.
  const trouble = key === undefined ? undefined : (state?.trouble ?? states.error?.message)
  return (
    <li>
      <p className="artifact-name">
        <code>{shown}</code>
        {size !== undefined && <span className="faint number">{formatBytes(size)}</span>}
        {key !== undefined && store === undefined && trouble === undefined && (
          <a
            className="button small"
            href={address(`${place}/file`, { of: side, artifact: name, uid: run.uid })}
            download
            aria-label={`Download ${shown}`}
          >
            <Icon name="download" size={12} /> Download
          </a>
        )}
      </p>
      <dl>
        {isOfRun && <Place name="Step" text={step.displayName ?? step.name} />}
        {path !== undefined && <Place name="Path" text={path} />}
        {key !== undefined && <Place name="Key" text={key} />}
        {store !== undefined && <Place name="Store" text={store} />}
        {from !== undefined && <Place name="From" text={from} />}
      </dl>
      {trouble !== undefined && <p className="message">{trouble}</p>}
    </li>
  )
}

const Place = ({ name, text }: { name: string; text: string }): ReactElement => (
  <div>
    <dt>{name}</dt>
    <dd>
      <code>{text}</code>
    </dd>
  </div>
)
