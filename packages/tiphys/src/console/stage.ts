import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConsoleOptions } from '@tiphys/console'
import { buildAssets } from '@tiphys/console/testing'
import { systemEnv } from '@tiphys/env'
import { createWorkflowControl } from '@tiphys/workflows'
import { ConsoleScene, RBAC } from './scene.ts'

type Fire = NonNullable<ConsoleOptions['fire']>

/** The event that everybody fires. */
export const FIRED = 'f'.repeat(32)

/** A console scene to which the cluster sends people with tokens of their own. Only for tests. */
export class ConsoleStage {
  assets = ''
  scene!: ConsoleScene
  /** Tokens of ServiceAccounts: may read everything of one namespace, may do everything, may do nothing. */
  tokens!: { reader: string; admin: string; other: string }

  /** Who has fired an event. */
  readonly firedBy: string[] = []

  readonly #fire: Fire = async ({ who }) => {
    this.firedBy.push(who)
    return { id: FIRED }
  }

  async open(): Promise<void> {
    this.assets = await mkdtemp(join(tmpdir(), 'tiphys-assets-'))
    await buildAssets(this.assets)
    const { dispatch, ...runControl } = createWorkflowControl({ env: systemEnv })
    const more = { dispatch, runControl, fire: this.#fire }
    this.scene = await ConsoleScene.start({ assets: this.assets, authentication: 'cluster', more })
    const subject = (name: string) => ({ kind: 'ServiceAccount', namespace: 'shop', name })
    await this.scene.client.create({
      apiVersion: RBAC,
      kind: 'Role',
      metadata: { namespace: 'shop', name: 'reader' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
    })
    await this.scene.client.create({
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: { namespace: 'shop', name: 'reader' },
      subjects: [subject('reader')],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    })
    const [reader, admin, other] = [
      await this.scene.tokenOf('reader'),
      await this.scene.tokenOfAdmin(),
      await this.scene.tokenOf('other'),
    ]
    this.tokens = { reader, admin, other }
  }

  /** What the API says to a GET. */
  async statusOf(path: string, token?: string): Promise<number> {
    return (await this.scene.api(path, token === undefined ? {} : { token })).status
  }

  async close(): Promise<void> {
    await this.scene?.close()
    await rm(this.assets, { recursive: true, force: true })
  }
}
