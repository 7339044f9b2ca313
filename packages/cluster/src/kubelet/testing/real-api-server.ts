import type { ApiServer } from '@tiphys/apiserver'
import { RealApiServer } from '@tiphys/kube/testing'

/** A kube-apiserver that knows nodes by the certificates of `authority`, and shows them one. */
export function startRealApiServer(authority: ApiServer): Promise<RealApiServer> {
  const user = authority.issueClientCertificate({ name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] })
  return RealApiServer.start({
    files: { 'client.crt': user.certificate, 'client.key': user.key, 'nodes.crt': authority.caCertificate },
    flags: file => [
      `--kubelet-client-certificate=${file('client.crt')}`,
      `--kubelet-client-key=${file('client.key')}`,
      `--kubelet-certificate-authority=${file('nodes.crt')}`,
      '--kubelet-preferred-address-types=InternalIP',
    ],
  })
}
