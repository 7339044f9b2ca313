import type { GoFunction } from '../function.ts'
import { cryptoFunctions } from './crypto.ts'
import { dateFunctions } from './dates.ts'
import { defaultFunctions } from './defaults.ts'
import { dictFunctions } from './dicts.ts'
import { encodingFunctions } from './encoding.ts'
import { listFunctions } from './lists.ts'
import { numberFunctions } from './numbers.ts'
import { pathFunctions } from './paths.ts'
import { regexFunctions } from './regex.ts'
import { stringFunctions } from './strings.ts'
import { urlFunctions } from './urls.ts'
import { versionFunctions } from './versions.ts'

/** The functions of Masterminds/sprig v3.3.0. Those that read the machine's environment, `env` and `expandenv`, are not
 *  there; those that would reach the network or make keys fail with a text that says so. */
export const sprigFunctions: ReadonlyMap<string, GoFunction> = new Map(
  [
    stringFunctions,
    numberFunctions,
    dateFunctions,
    defaultFunctions,
    listFunctions,
    dictFunctions,
    encodingFunctions,
    cryptoFunctions,
    pathFunctions,
    regexFunctions,
    urlFunctions,
    versionFunctions,
  ].flatMap(functions => Object.entries(functions)),
)
