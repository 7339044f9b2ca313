import { isConflict, isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import type { Secret, ServiceAccount, TokenRequest } from '@tiphys/kube/kinds'
import { type Controller, type ControllerContext, createReconciler, wakeBy } from './controller.ts'
import { rootCertificateIn, rootCertificates } from './root-certificate.ts'
import type { RootCertificateOptions } from './root-certificate-publisher.ts'

const ACCOUNT = kindRef('v1', 'ServiceAccount')
const SECRET = kindRef('v1', 'Secret')
const NAME_KEY = 'kubernetes.io/service-account.name'
const UID_KEY = 'kubernetes.io/service-account.uid'
/** Tokens in Secrets are for ever; this is the longest that can be asked for. They end with their Secret. */
const LIFETIME_SECONDS = 2 ** 32

/** Fills Secrets of the type `kubernetes.io/service-account-token` with a token of their ServiceAccount, and deletes them
 *  with it. */
export function createServiceAccountTokensController(
  context: ControllerContext,
  options: RootCertificateOptions = {},
): Controller {
  const { caches, client } = context
  const certificates = caches.acquire(rootCertificates)
  const rootCertificate = rootCertificateIn(certificates, options.rootCertificate)
  const secrets = wakeBy(
    context,
    { ...SECRET, fieldSelector: 'type=kubernetes.io/service-account-token' },
    ({ object }) => [keyOf(object)],
  )
  const accounts = wakeBy(context, ACCOUNT, ({ object: { metadata } }) =>
    secrets.cache
      .list(metadata.namespace)
      .filter(secret => accountNameOf(secret) === metadata.name)
      .map(keyOf),
  )

  /** Undefined when the account is not there, or is another of the same name. */
  const accountOf = async (secret: Secret): Promise<ServiceAccount | undefined> => {
    const uid = secret.metadata.annotations?.[UID_KEY] ?? ''
    const { namespace = '' } = secret.metadata
    const name = accountNameOf(secret)
    const isIt = (account: ServiceAccount) => uid === '' || uid === account.metadata.uid
    const cached = accounts.cache.get(name, namespace)
    if (cached && isIt(cached)) return cached
    try {
      const live = await client.get({ ...ACCOUNT, namespace, name })
      return isIt(live) ? live : undefined
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined
      throw thrown
    }
  }

  const deleteSecret = async ({ metadata: { namespace = '', name = '', uid = '' } }: Secret) => {
    try {
      await client.delete({ ...SECRET, namespace, name }, { preconditions: { uid } })
    } catch (thrown) {
      if (!isNotFound(thrown) && !isConflict(thrown)) throw thrown
    }
  }

  const signToken = async (account: ServiceAccount, secret: Secret): Promise<string> => {
    const { namespace = '', name = '' } = account.metadata
    const { name: secretName = '', uid = '' } = secret.metadata
    const answer = await client.subresource<TokenRequest & KubeObject>(
      'create',
      { ...ACCOUNT, namespace, name },
      'token',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: {
          expirationSeconds: LIFETIME_SECONDS,
          boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: secretName, uid },
        },
      },
    )
    return answer.status?.token ?? ''
  }

  const fill = async (secret: Secret, account: ServiceAccount) => {
    const { data = {}, metadata } = secret
    const certificate = rootCertificate()
    const missing: Record<string, string> = {
      ...(certificate !== undefined && data['ca.crt'] !== base64(certificate) && { 'ca.crt': base64(certificate) }),
      ...((data['namespace'] ?? '') === '' && { namespace: base64(metadata.namespace ?? '') }),
      ...((data['token'] ?? '') === '' && { token: base64(await signToken(account, secret)) }),
    }
    if (Object.keys(missing).length === 0) return
    const named = { [NAME_KEY]: account.metadata.name ?? '', [UID_KEY]: account.metadata.uid ?? '' }
    const annotations = { ...metadata.annotations, ...named }
    await client.update({ ...secret, metadata: { ...metadata, annotations }, data: { ...data, ...missing } })
  }

  /** An account must not refer to a Secret that is gone. */
  const forget = async (namespace: string, accountName: string, secretName: string) => {
    const account = accounts.cache.get(accountName, namespace)
    if (!account?.secrets?.some(({ name }) => name === secretName)) return
    await client.update({ ...account, secrets: account.secrets.filter(({ name }) => name !== secretName) })
  }

  const reconciler = createReconciler(context, {
    name: 'tokens-controller',
    wakes: [secrets, accounts],
    async reconcile(key) {
      const [namespace = '', name = '', accountName = ''] = key.split('/')
      await certificates.whenSynced()
      const secret = secrets.cache.get(name, namespace)
      if (!secret) await forget(namespace, accountName, name)
      else {
        const account = await accountOf(secret)
        if (account) await fill(secret, account)
        else await deleteSecret(secret)
      }
      return undefined
    },
  })
  return {
    ...reconciler,
    async stop() {
      await reconciler.stop()
      certificates.release()
    },
  }
}

const accountNameOf = ({ metadata }: Secret) => metadata.annotations?.[NAME_KEY] ?? ''

const keyOf = (secret: Secret) => `${secret.metadata.namespace}/${secret.metadata.name}/${accountNameOf(secret)}`

const base64 = (text: string) => Buffer.from(text).toString('base64')
