import type { Volume } from '../spec/workflow.ts'
import { substitute } from '../variables/substitution.ts'
import { NodeFault, type Run } from './run.ts'

/** Claims of volumeClaimTemplates have to be there before the first pod. Throws NodeFault. */
export function hasVolumeClaims(run: Run): boolean {
  const templates = run.spec.volumeClaimTemplates ?? []
  if (templates.length === 0 || (run.status.persistentVolumeClaims?.length ?? 0) === templates.length) return true
  const volumes: Volume[] = []
  for (const template of templates) {
    const name = template.metadata.name ?? ''
    const claimName = `${run.name}-${name}`
    const state = run.observed.volumeClaims?.[claimName]
    const { error, notBefore = 0 } = state ?? {}
    if (error !== undefined && notBefore === 0) throw new NodeFault(`pvc create error: ${error}`)
    if (error !== undefined) run.setStatus({ message: `Waiting for a PVC to be created. ${error}` })
    if (run.now < notBefore) run.wake(notBefore)
    else if (state?.exists !== true) {
      const claim = substitute(template, run.globals, { ...run.env, path: 'spec.volumeClaimTemplates' })
      run.ask({
        do: 'createVolumeClaim',
        name: claimName,
        claim: {
          ...claim,
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { ...claim.metadata, name: claimName },
        },
      })
    } else {
      volumes.push({ name, persistentVolumeClaim: { claimName } })
    }
  }
  if (volumes.length < templates.length) return false
  run.setStatus({ persistentVolumeClaims: volumes, message: undefined })
  return true
}

/** Claims go when the run has succeeded, or is over, as volumeClaimGC says. */
export function collectClaims(run: Run): void {
  const claims = run.status.persistentVolumeClaims ?? []
  if (claims.length === 0) return
  if (run.spec.volumeClaimGC?.strategy !== 'OnWorkflowCompletion' && run.status.phase !== 'Succeeded') return
  const left = claims.filter(({ persistentVolumeClaim }) => {
    const { claimName } = persistentVolumeClaim as { claimName: string }
    if (run.observed.volumeClaims?.[claimName]?.exists === false) return false
    run.ask({ do: 'deleteVolumeClaim', name: claimName })
    return true
  })
  if (left.length < claims.length) run.setStatus({ persistentVolumeClaims: left.length === 0 ? undefined : left })
}
