import { type Client, type KubeObject, kindRef } from '@tiphys/kube'
import type { PolicyRule } from '@tiphys/kube/kinds'

interface AccessReview extends KubeObject {
  status?: { allowed?: boolean }
}

const REVIEW = kindRef<AccessReview>('authorization.k8s.io/v1', 'SelfSubjectAccessReview')

/** What this user may not do of what the rules name: `create pods, impersonate serviceaccounts`. */
export async function missingRights(
  client: Client,
  rules: readonly PolicyRule[],
  namespaces: readonly string[] | undefined,
): Promise<string[]> {
  const asked = rules.flatMap(({ apiGroups = [], resources = [], verbs = [] }) =>
    apiGroups.flatMap(group => resources.flatMap(resource => verbs.map(verb => ({ group, resource, verb })))),
  )
  const answers = await Promise.all(
    asked.map(async ({ group, resource: name, verb }) => {
      const [resource, subresource] = name.split('/')
      const allowed = await Promise.all(
        (namespaces ?? [undefined]).map(namespace =>
          isAllowed(client, { group, resource, subresource, verb, ...(namespace !== undefined && { namespace }) }),
        ),
      )
      return allowed.every(Boolean) ? undefined : `${verb} ${name}${group === '' ? '' : `.${group}`}`
    }),
  )
  return [...new Set(answers.filter(answer => answer !== undefined))]
}

async function isAllowed(client: Client, resourceAttributes: object): Promise<boolean> {
  const review = await client.create<AccessReview>({ ...REVIEW, metadata: {}, spec: { resourceAttributes } })
  return review.status?.allowed === true
}
