/** Kinds that this server stores without acting on them. Whoever creates one is told so. */
const NOT_ENFORCED: Record<string, string> = {
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': 'webhooks are not called',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': 'webhooks are not called',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': 'the policy is not evaluated',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': 'the policy is not evaluated',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': 'the policy is not evaluated',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': 'the policy is not evaluated',
  'apiregistration.k8s.io/APIService': 'requests are not forwarded to the service',
  'networking.k8s.io/NetworkPolicy': 'traffic is not filtered',
  'flowcontrol.apiserver.k8s.io/FlowSchema': 'requests are not queued by it',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': 'requests are not queued by it',
}

export function notEnforced(group: string, kind: string): string | undefined {
  const consequence = NOT_ENFORCED[`${group}/${kind}`]
  return consequence === undefined ? undefined : `tiphys: this ${kind} is stored but not enforced yet: ${consequence}`
}
