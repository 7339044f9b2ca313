import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { type Fields, isSemanticallyEqual, listAt, objectAt, optionalObjectAt, setIfAbsent } from '../fields.ts'
import { validateWebhookConfiguration } from './webhook-validation.ts'

function setWebhookDefaults(webhook: Fields): void {
  setIfAbsent(webhook, 'failurePolicy', 'Fail')
  setIfAbsent(webhook, 'matchPolicy', 'Equivalent')
  setIfAbsent(webhook, 'namespaceSelector', {})
  setIfAbsent(webhook, 'objectSelector', {})
  setIfAbsent(webhook, 'timeoutSeconds', 10)
  const service = optionalObjectAt(objectAt(webhook, 'clientConfig'), 'service')
  if (service !== undefined) setIfAbsent(service, 'port', 443)
  for (const rule of listAt(webhook, 'rules')) setIfAbsent(rule, 'scope', '*')
}

const webhooksChange = (configuration: KubeObject, old: KubeObject) =>
  !isSemanticallyEqual(configuration.webhooks, old.webhooks)

export const validatingWebhookConfigurationStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  validate: configuration => validateWebhookConfiguration(configuration, false),
  validateUpdate: configuration => validateWebhookConfiguration(configuration, false),
  setDefaults(configuration) {
    for (const webhook of listAt(configuration, 'webhooks')) setWebhookDefaults(webhook)
  },
  generationChanges: webhooksChange,
}

export const mutatingWebhookConfigurationStrategy: Strategy = {
  ...validatingWebhookConfigurationStrategy,
  validate: configuration => validateWebhookConfiguration(configuration, true),
  validateUpdate: configuration => validateWebhookConfiguration(configuration, true),
  setDefaults(configuration) {
    for (const webhook of listAt(configuration, 'webhooks')) {
      setWebhookDefaults(webhook)
      setIfAbsent(webhook, 'reinvocationPolicy', 'Never')
    }
  },
}
