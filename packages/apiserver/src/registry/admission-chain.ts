import type { Admission, AdmissionRequest } from './admission.ts'

/** One thing that has a say. Plugins that only look leave `mutate` out. */
export interface AdmissionPlugin {
  name: string
  mutate?(request: AdmissionRequest): Promise<void> | void
  validate?(request: AdmissionRequest): Promise<void> | void
}

/** Plugins in order. Stays synchronous as long as every plugin does: most requests never leave the process. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  const run = (step: 'mutate' | 'validate') => {
    const taking = plugins.filter(plugin => plugin[step] !== undefined)
    return (request: AdmissionRequest): Promise<void> | void => {
      for (let i = 0; i < taking.length; i++) {
        const pending = taking[i]?.[step]?.(request)
        if (pending) return rest(taking, i + 1, step, request, pending)
      }
    }
  }
  return { mutate: run('mutate'), validate: run('validate') }
}

async function rest(
  plugins: readonly AdmissionPlugin[],
  from: number,
  step: 'mutate' | 'validate',
  request: AdmissionRequest,
  pending: Promise<void>,
): Promise<void> {
  await pending
  for (const plugin of plugins.slice(from)) await plugin[step]?.(request)
}
