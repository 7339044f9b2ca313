import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAssets } from '@tiphys/console/testing'
import { systemEnv } from '@tiphys/env'
import { kindRef } from '@tiphys/kube'
import { createWorkflowControl } from '@tiphys/workflows'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConsoleScene, TOKEN } from './scene.ts'

const ARGO = 'argoproj.io/v1alpha1'
let assets: string
let scene: ConsoleScene

beforeAll(async () => {
  assets = await mkdtemp(join(tmpdir(), 'tiphys-assets-'))
  await buildAssets(assets)
  const { dispatch } = createWorkflowControl({ env: systemEnv })
  scene = await ConsoleScene.start({ assets, withStory: false, more: { dispatch } })
  await scene.client.create({
    apiVersion: ARGO,
    kind: 'WorkflowTemplate',
    metadata: { name: 'greet', namespace: 'shop' },
    spec: { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] },
  })
  await scene.client.create({
    apiVersion: ARGO,
    kind: 'WorkflowEventBinding',
    metadata: { name: 'greet', namespace: 'shop' },
    spec: {
      event: { selector: 'discriminator == "hello" && metadata["x-team"] == ["a"]' },
      submit: {
        workflowTemplateRef: { name: 'greet' },
        arguments: { parameters: [{ name: 'whom', valueFrom: { event: 'payload.whom.first' } }] },
      },
    },
  })
}, 60_000)

afterAll(async () => {
  await scene?.close()
  await rm(assets, { recursive: true, force: true })
})

it('takes events at the address at which Argo’s server does, and answers with what they started', async () => {
  const send = async (path: string, body: object, team: string) => {
    const answer = await fetch(new URL(path, scene.console.url.split('#')[0]), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'x-tiphys': '1',
        'x-team': team,
      },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as { submitted?: { workflow: string }[] } }
  }
  expect(await send('/api/v1/events/shop/', { whom: { first: 'you' } }, 'a')).toEqual({
    status: 200,
    body: { submitted: [] },
  })
  expect(await send('/api/v1/events/shop/hello', { whom: { first: 'you' } }, 'b')).toEqual({
    status: 200,
    body: { submitted: [] },
  })
  const { status, body } = await send('/api/v1/events/shop/hello', { whom: { first: 'you' } }, 'a')
  expect(status).toBe(200)
  const name = body.submitted?.[0]?.workflow ?? ''
  const made = await scene.client.get({ ...kindRef(ARGO, 'Workflow'), namespace: 'shop', name })
  expect(made.spec).toEqual({
    workflowTemplateRef: { name: 'greet' },
    arguments: { parameters: [{ name: 'whom', value: 'you' }] },
  })
  const wrong = await send('/api/v1/events/shop/hello', { who: 'misspelt' }, 'a')
  expect(wrong.status).toBe(422)
  expect(JSON.stringify(wrong.body)).toContain('spec.submit.arguments.parameters[0].valueFrom.event')
})
