import type { KindRef } from './client.ts'
import type { BuiltinKinds } from './kinds.generated.ts'
import type { KubeObject } from './object.ts'

/** The type of a built-in kind's objects; any object for a kind that is not built in. */
export type KindType<
  ApiVersion extends string,
  Kind extends string,
> = `${ApiVersion}/${Kind}` extends keyof BuiltinKinds ? BuiltinKinds[`${ApiVersion}/${Kind}`] : KubeObject

/** Names a kind so that the answers have its type: built-in kinds by themselves (`kindRef('apps/v1', 'Deployment')`),
 *  others by the type that is given (`kindRef<Widget>('example.com/v1', 'Widget')`). */
export function kindRef<ApiVersion extends string, Kind extends string>(
  apiVersion: ApiVersion,
  kind: Kind,
): KindRef<KindType<ApiVersion, Kind>>
export function kindRef<T extends KubeObject>(apiVersion: string, kind: string): KindRef<T>
export function kindRef(apiVersion: string, kind: string): KindRef {
  return { apiVersion, kind }
}
