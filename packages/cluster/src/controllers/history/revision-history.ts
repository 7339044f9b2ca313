import {
  type Client,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  kindRef,
  type LabelSelector,
  type ObjectCache,
} from '@tiphys/kube'
import type { ControllerRevision, PodTemplateSpec } from '@tiphys/kube/kinds'
import { claim } from '../pods/claim.ts'
import { candidatesOf } from '../pods/owned.ts'
import { compareRevisions, isSameRevision, planRevision, revisionHash, revisionName } from './controller-revision.ts'

/** The revisions of a set that keeps its former templates as ControllerRevisions. */
export interface RevisionHistory {
  /** Adopts those that nobody owns. Older first. */
  list(owner: KubeObject, selector: LabelSelector): Promise<ControllerRevision[]>
  /** Makes the revision of this template the latest one; a former one with the same template is used again. */
  latest(
    owner: KubeObject,
    template: PodTemplateSpec | undefined,
    revisions: readonly ControllerRevision[],
    collisionCount: number,
  ): Promise<{ revision: ControllerRevision; collisionCount: number }>
  remove(revisions: readonly ControllerRevision[]): Promise<void>
}

export function createRevisionHistory(client: Client, cache: ObjectCache<ControllerRevision>): RevisionHistory {
  const create = async (owner: KubeObject, revision: ControllerRevision, collisionCount: number) => {
    for (let count = collisionCount; ; count++) {
      const name = revisionName(owner.metadata.name ?? '', revisionHash(revision.data, count))
      const named = { ...revision, metadata: { ...revision.metadata, name } }
      try {
        return { revision: await client.create<ControllerRevision>(named), collisionCount: count }
      } catch (thrown) {
        if (!isAlreadyExists(thrown)) throw thrown
        const taken = await client.get(referenceTo(named))
        if (isSameRevision(taken, named)) return { revision: taken, collisionCount: count }
      }
    }
  }

  return {
    async list(owner, selector) {
      const matching = candidatesOf(cache, owner).filter(({ metadata }) => selector.matches(metadata.labels))
      return (await claim(client, owner, selector, matching)).toSorted(compareRevisions)
    },
    async latest(owner, template, revisions, collisionCount) {
      const step = planRevision(owner, template, revisions, collisionCount)
      switch (step.type) {
        case 'keep':
          return { revision: step.revision, collisionCount }
        case 'raise': {
          const raised = { ...step.revision, revision: step.to }
          return { revision: await client.update<ControllerRevision>(raised), collisionCount }
        }
        case 'create':
          return create(owner, step.revision, collisionCount)
      }
    },
    async remove(revisions) {
      for (const revision of revisions) {
        await client.delete(referenceTo(revision)).catch(thrown => {
          if (!isNotFound(thrown)) throw thrown
        })
      }
    },
  }
}

const referenceTo = ({ metadata: { namespace, name = '' } }: ControllerRevision) => ({
  ...kindRef('apps/v1', 'ControllerRevision'),
  name,
  ...(namespace === undefined ? {} : { namespace }),
})
