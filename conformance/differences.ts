/** A difference from the real server that is wanted. An entry that no longer differs fails the run. */
export interface Difference {
  /** `area: name of the behaviour` */
  scenario: string
  /** Where it differs, as the run prints it: `3 body.metadata.name`. A `*` stands for one part of the way. */
  path: string
  reason: string
}

export const differences: Difference[] = [
  {
    scenario: 'kubectl: version and cluster-info',
    path: '3 body.stdout.7',
    reason: 'Nothing of this server is built with Go, so there is no Go version to name.',
  },
  {
    scenario: 'defaults: of a NetworkPolicy',
    path: '1 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'defaults: of a FlowSchema',
    path: '1 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'defaults: of a PriorityLevelConfiguration',
    path: '1 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'defaults: of a MutatingWebhookConfiguration',
    path: '1 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'defaults: of a ValidatingWebhookConfiguration',
    path: '1 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'defaults: of a ValidatingAdmissionPolicy',
    path: '1 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'defaults: of a ValidatingAdmissionPolicyBinding',
    path: '1 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'defaults: of a APIService',
    path: '1 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'validation: ingresses and network policies',
    path: '6 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'validation: ingresses and network policies',
    path: '7 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'validation: ingresses and network policies',
    path: '8 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'validation: cluster-wide kinds',
    path: '7 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'validation: cluster-wide kinds',
    path: '8 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'validation: cluster-wide kinds',
    path: '9 headers',
    reason: 'Tiphys warns that it stores this kind without enforcing it yet.',
  },
  {
    scenario: 'defaults: of a CSINode',
    path: '1 body.metadata.managedFields',
    reason: 'An empty list that a client sends is the same as an absent one here, so nobody is said to have set it.',
  },
  {
    scenario: 'defaults: of a CertificateSigningRequest',
    path: '1 body.metadata.managedFields',
    reason:
      'The real server loses track of this kind because its requester is filled in afterwards; here the fields have their manager.',
  },
  {
    scenario: 'field-validation: warns that endpoints are deprecated',
    path: '3 body.metadata.resourceVersion',
    reason: 'ComponentStatus is deprecated since 1.19; its list is served like any other, with a version.',
  },
  {
    scenario: 'patches: refuses a patch that puts a wrong type',
    path: '3 body.details.causes.0.message',
    reason: 'A strategic patch is merged as JSON here; Go names its own conversion of numbers.',
  },
  {
    scenario: 'patches: refuses a patch that puts a wrong type',
    path: '3 body.message',
    reason: 'A strategic patch is merged as JSON here; Go names its own conversion of numbers.',
  },
  {
    scenario: 'apply: reads YAML',
    path: '2 body.message',
    reason: 'The YAML parser words this syntax error in its own way.',
  },
  {
    scenario: 'encodings: refuses YAML it cannot read',
    path: '1 body.message',
    reason: 'The YAML parser words this syntax error in its own way.',
  },
  {
    scenario: 'validation: events and endpoints',
    path: '3 body.details.group',
    reason: 'events.k8s.io validates as the kind that it is; the real server validates the core kind behind it.',
  },
  {
    scenario: 'validation: events and endpoints',
    path: '3 body.message',
    reason: 'events.k8s.io validates as the kind that it is; the real server validates the core kind behind it.',
  },
  {
    scenario: 'definitions: requires its fields',
    path: '2 body.details.causes',
    reason: 'Go tells an empty list from none; JSON decoding here does not.',
  },
  {
    scenario: 'definitions: requires its fields',
    path: '2 body.message',
    reason: 'Go tells an empty list from none; JSON decoding here does not.',
  },
  {
    scenario: 'bad-inputs: 10: a patch that copies and copies',
    path: '1 body.details.causes.0.message',
    reason: 'The error shows the whole patched object; Go orders the members of nested copies by how they were copied.',
  },
  {
    scenario: 'bad-inputs: 10: a patch that copies and copies',
    path: '1 body.message',
    reason: 'The error shows the whole patched object; Go orders the members of nested copies by how they were copied.',
  },
  {
    scenario: 'bad-inputs: a request that is smuggled or malformed',
    path: '4 status',
    reason:
      'The HTTP parser here refuses malformed framing with 400 before a request exists; the one of Go reads on and answers by what it meets first.',
  },
  {
    scenario: 'bad-inputs: a request that is smuggled or malformed',
    path: '4 body.statuses',
    reason:
      'The HTTP parser here refuses malformed framing with 400 before a request exists; the one of Go reads on and answers by what it meets first.',
  },
  {
    scenario: 'bad-inputs: a request that is smuggled or malformed',
    path: '5 status',
    reason:
      'The HTTP parser here refuses malformed framing with 400 before a request exists; the one of Go reads on and answers by what it meets first.',
  },
  {
    scenario: 'bad-inputs: a request that is smuggled or malformed',
    path: '5 body.statuses',
    reason:
      'The HTTP parser here refuses malformed framing with 400 before a request exists; the one of Go reads on and answers by what it meets first.',
  },
  {
    scenario: 'bad-inputs: a request that is smuggled or malformed',
    path: '9 status',
    reason:
      'The HTTP parser here refuses malformed framing with 400 before a request exists; the one of Go reads on and answers by what it meets first.',
  },
  {
    scenario: 'bad-inputs: a request that is smuggled or malformed',
    path: '9 body.statuses',
    reason:
      'The HTTP parser here refuses malformed framing with 400 before a request exists; the one of Go reads on and answers by what it meets first.',
  },
  {
    scenario: 'bad-inputs: a body that is larger than it says',
    path: '1 status',
    reason:
      'The HTTP parser here refuses malformed framing with 400 before a request exists; the one of Go reads on and answers by what it meets first.',
  },
  {
    scenario: 'bad-inputs: a body that is larger than it says',
    path: '1 body.statuses',
    reason:
      'The HTTP parser here refuses malformed framing with 400 before a request exists; the one of Go reads on and answers by what it meets first.',
  },
  {
    scenario: 'access: lets no one grant what he does not have',
    path: '1 body.message',
    reason: 'The token file of the recorded server gives a user without groups one empty group.',
  },
  {
    scenario: 'encodings: answers who reads nothing but protobuf',
    path: '2 body',
    reason:
      'Protobuf is read and never written. Who asks for nothing else gets JSON, which says so: client-go reads an answer as what its content type says.',
  },
  {
    scenario: 'encodings: answers who reads nothing but protobuf',
    path: '4 body',
    reason:
      'Protobuf is read and never written. Who asks for nothing else gets JSON, which says so: client-go reads an answer as what its content type says.',
  },
  {
    scenario: 'encodings: answers who reads nothing but protobuf',
    path: '6 body',
    reason:
      'Protobuf is read and never written. Who asks for nothing else gets JSON, which says so: client-go reads an answer as what its content type says.',
  },
  {
    scenario: 'compaction: a list cannot be continued as it was, but as it is now',
    path: '2 body.metadata.continue',
    reason:
      'The token is as a server with its watch cache makes it, which is how servers run; without it the key has no slash.',
  },
  {
    scenario: 'compaction: a list cannot be continued as it was, but as it is now',
    path: '3 body.metadata.continue',
    reason:
      'The token is as a server with its watch cache makes it, which is how servers run; without it the key has no slash.',
  },
  {
    scenario: 'compaction: a watch from a forgotten version ends at once, and says why',
    path: '2 events.0.object.message',
    reason:
      'The words are those of a server with its watch cache, which is how servers run; the recorded one runs without it.',
  },
  {
    scenario: 'compaction: a watch of one object from a forgotten version too',
    path: '2 events.0.object.message',
    reason:
      'The words are those of a server with its watch cache, which is how servers run; the recorded one runs without it.',
  },
]
