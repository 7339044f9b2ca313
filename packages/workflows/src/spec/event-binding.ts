import type { KubeObject, ObjectMeta } from '@tiphys/kube'
import type { Arguments, WorkflowTemplateRef } from './workflow.ts'

/** Says which events start a Workflow, and with what. */
export interface WorkflowEventBinding extends KubeObject {
  metadata: ObjectMeta
  spec: {
    event: {
      /** An expression over `payload`, `metadata`, `discriminator` and `namespace`. */
      selector: string
    }
    submit?: {
      workflowTemplateRef?: WorkflowTemplateRef
      /** Name, labels and annotations are expressions. */
      metadata?: Pick<ObjectMeta, 'name' | 'generateName' | 'labels' | 'annotations'>
      /** Each with `valueFrom.event`, an expression. */
      arguments?: Arguments
    }
  }
}
