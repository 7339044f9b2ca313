import { access } from '../scenarios/access.ts'
import { apply } from '../scenarios/apply.ts'
import { badInputs } from '../scenarios/bad-inputs.ts'
import { connection } from '../scenarios/connection.ts'
import { customResources } from '../scenarios/custom-resources.ts'
import { defaults } from '../scenarios/defaults.ts'
import { definitions } from '../scenarios/definitions.ts'
import { deletion } from '../scenarios/deletion.ts'
import { discovery } from '../scenarios/discovery.ts'
import { encodings } from '../scenarios/encodings.ts'
import { fieldValidation } from '../scenarios/field-validation.ts'
import { helm3, helm4 } from '../scenarios/helm.ts'
import { kubectl } from '../scenarios/kubectl.ts'
import { lists } from '../scenarios/lists.ts'
import { nodeConnections } from '../scenarios/node-connections.ts'
import { objects } from '../scenarios/objects.ts'
import { openapi } from '../scenarios/openapi.ts'
import { patches } from '../scenarios/patches.ts'
import { tables } from '../scenarios/tables.ts'
import { tokens } from '../scenarios/tokens.ts'
import { validation } from '../scenarios/validation.ts'
import { watch } from '../scenarios/watch.ts'
import type { Area } from './scenario.ts'

/** Every area of behaviour, in the order a client meets them. */
export const areas: Area[] = [
  connection,
  discovery,
  openapi,
  access,
  tokens,
  objects,
  encodings,
  fieldValidation,
  deletion,
  lists,
  watch,
  tables,
  patches,
  apply,
  defaults,
  validation,
  definitions,
  customResources,
  nodeConnections,
  badInputs,
  kubectl,
  helm3,
  helm4,
]
