import { generateKeyPairSync } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '@tiphys/env/testing'
import { toolPath } from '../../conformance/tools.mjs'
import { Program, type Side } from './server-process.ts'

const TOKEN = 'bench-administrator'

/** kube-apiserver with an etcd of its own, both started at the same moment. */
export function kubeApiserver(storage: 'no fsync' | 'fsync'): Side {
  return {
    name: `kube-apiserver + etcd${storage === 'fsync' ? '' : ' --unsafe-no-fsync'}`,
    async launch(directory) {
      await mkdir(directory, { recursive: true })
      const [clientPort, peerPort, port] = (await freePorts(3)) as [number, number, number]
      const kubeconfig = join(directory, 'kubeconfig')
      await writeFile(kubeconfig, administrator(port, join(directory, 'apiserver.crt')), { mode: 0o600 })
      await writeFile(join(directory, 'tokens.csv'), `${TOKEN},admin,uid-admin,"system:masters"\n`, { mode: 0o600 })
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const keyFile = join(directory, 'service-accounts.pem')
      await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
      const etcdFlags = [
        `--data-dir=${join(directory, 'etcd')}`,
        `--listen-client-urls=http://127.0.0.1:${clientPort}`,
        `--advertise-client-urls=http://127.0.0.1:${clientPort}`,
        `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
        `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
        `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
        '--log-level=error',
        ...(storage === 'fsync' ? [] : ['--unsafe-no-fsync']),
      ]
      const flags = [
        `--etcd-servers=http://127.0.0.1:${clientPort}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--cert-dir=${directory}`,
        `--token-auth-file=${join(directory, 'tokens.csv')}`,
        '--authorization-mode=RBAC',
        '--endpoint-reconciler-type=none',
        '--service-cluster-ip-range=10.96.0.0/16',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${keyFile}`,
        `--service-account-signing-key-file=${keyFile}`,
      ]
      return {
        kubeconfig,
        start() {
          const etcd = new Program(toolPath('etcd'), etcdFlags)
          const server = new Program(toolPath('kube-apiserver'), flags)
          return {
            kubeconfig,
            residentBytes: async () => (await etcd.residentBytes()) + (await server.residentBytes()),
            async stop() {
              await server.stop()
              await etcd.stop()
            },
          }
        },
      }
    },
  }
}

const administrator = (port: number, caFile: string): string => `apiVersion: v1
kind: Config
clusters:
- name: real
  cluster:
    server: https://127.0.0.1:${port}
    certificate-authority: ${caFile}
users:
- name: admin
  user:
    token: ${TOKEN}
contexts:
- name: real
  context:
    cluster: real
    user: admin
current-context: real
`
