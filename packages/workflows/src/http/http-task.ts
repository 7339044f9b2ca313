import { asError, TerminalFailure } from '@tiphys/env'
import { type Client, kindRef, sendOutbound } from '@tiphys/kube'
import type { RunParts } from '../engine/action-doer.ts'
import { serviceAccountClient, type WorkflowEngineOptions } from '../engine/engine-context.ts'
import { tryAgain } from '../engine/passing-trouble.ts'
import type { ObservedTask, RunHttp } from '../plan/plan.ts'
import { stepKey } from '../resources/resource-write.ts'
import type { HttpTemplate } from '../spec/workflow.ts'

const DEFAULT_TIMEOUT_SECONDS = 30
/** To read the Secrets of its headers. */
const MOST_TRIES = 8
/** As much as an output may have, and some for what is thrown away. */
const MOST_BYTES = 1024 * 1024

/** Sends the request of an http template, to addresses that are allowed. Never rejects. */
export async function runHttp(
  options: WorkflowEngineOptions,
  { workflow, spec }: RunParts,
  action: RunHttp,
  signal: AbortSignal,
): Promise<ObservedTask> {
  const { env, access = {} } = options
  const http = action.template.http as HttpTemplate
  const finishedAt = () => new Date(env.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  try {
    const { namespace = '' } = workflow.metadata
    const account = action.template.serviceAccountName ?? spec.serviceAccountName ?? 'default'
    const client = serviceAccountClient(options, namespace, account)
    const { bytes } = http.bodyFrom ?? {}
    const body = bytes === undefined ? (http.body ?? '') : Buffer.from(bytes, 'base64')
    const {
      status,
      headers,
      body: answer,
      isCut,
    } = await sendOutbound({
      url: http.url,
      method: http.method || 'GET',
      headers: {
        // Equal when the request is sent again after a crash, so that a receiver can tell.
        'Idempotency-Key': stepKey(workflow, action.nodeId),
        ...(await tryAgain({ clock: env.clock, most: MOST_TRIES, signal }, () => headersOf(http, client, namespace))),
        ...(body.length > 0 && { 'Content-Length': String(Buffer.byteLength(body)) }),
      },
      ...(body.length > 0 && { body }),
      ...(http.insecureSkipVerify && { tls: { rejectUnauthorized: false } }),
      timeoutMs: timeoutOf(http, action, env.clock.now()),
      maxBytes: MOST_BYTES,
      access: access.outbound ?? {},
      clock: env.clock,
      signal,
    })
    if (isCut)
      throw new TerminalFailure('workflow-answer-too-large', { what: `The answer has more than ${MOST_BYTES} bytes` })
    return {
      phase: 'Succeeded',
      outcome: { finishedAt: finishedAt() },
      response: { statusCode: status, headers, body: answer },
    }
  } catch (thrown) {
    const why = signal.aborted ? asError(signal.reason) : asError(thrown)
    return { phase: 'Error', outcome: { finishedAt: finishedAt(), message: why.message } }
  }
}

function timeoutOf({ timeoutSeconds }: HttpTemplate, { deadline }: RunHttp, now: number): number {
  const timeout = (timeoutSeconds && timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS) * 1000
  return deadline === undefined ? timeout : Math.max(1, Math.min(timeout, deadline - now))
}

async function headersOf(
  { headers = [] }: HttpTemplate,
  client: Client,
  namespace: string,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, value, valueFrom } of headers) {
    const ref = valueFrom?.secretKeyRef
    if (!ref) {
      found[name] = value ?? ''
      continue
    }
    const { data = {} } = await client.get({ ...kindRef('v1', 'Secret'), namespace, name: ref.name })
    const secret = Object.hasOwn(data, ref.key) ? data[ref.key] : undefined
    if (secret !== undefined) found[name] = Buffer.from(secret, 'base64').toString()
    else if (ref.optional !== true)
      throw new TerminalFailure('workflow-secret-missing', { what: `The Secret ${ref.name} has no key ${ref.key}` })
  }
  return found
}
