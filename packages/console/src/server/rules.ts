import type { Client, KubeObject } from '@tiphys/kube'

/** What somebody may list in one namespace. */
export interface Rules {
  mayList(group: string, resource: string): boolean
}

interface Rule {
  verbs?: readonly string[] | null
  apiGroups?: readonly string[] | null
  resources?: readonly string[] | null
  resourceNames?: readonly string[] | null
}

interface RulesReview extends KubeObject {
  status?: { resourceRules?: readonly Rule[] | null; incomplete?: boolean; evaluationError?: string }
}

/** All that a client may do in a namespace, in one question. Undefined when the cluster cannot tell all of it, as where not only RBAC decides:
 *  then each thing has to be asked for by itself. */
export async function rulesIn(client: Client, namespace: string): Promise<Rules | undefined> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: { namespace },
  }
  // Whether that is a refusal or trouble, what is asked next tells.
  const { status } = await client.create<RulesReview>(review).catch(() => ({ status: undefined }))
  const rules = status?.resourceRules
  if (!rules || status?.incomplete !== false || status.evaluationError) return undefined
  const lists = rules.filter(({ verbs, resourceNames }) => has(verbs, 'list') && !resourceNames?.length)
  return {
    mayList: (group, resource) => lists.some(rule => has(rule.apiGroups, group) && has(rule.resources, resource)),
  }
}

const has = (names: readonly string[] | null | undefined, name: string): boolean =>
  names?.some(each => each === name || each === '*') === true
