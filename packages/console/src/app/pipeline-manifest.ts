/** A source, sensor or bus as the cluster has it. */
export interface PipelineManifest {
  kind: string
  metadata: { namespace?: string; name: string }
  spec?: { template?: { serviceAccountName?: string } }
  status?: { conditions?: readonly { type: string; status: string; reason?: string; message?: string }[] | null } | null
}

/** The ServiceAccount that it acts as. */
export function accountOf({ metadata: { namespace = 'default' }, spec }: PipelineManifest): string {
  return `${namespace}:${spec?.template?.serviceAccountName || 'default'}`
}
