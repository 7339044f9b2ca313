import { join } from 'node:path'
import { Program, type Side } from './server-process.ts'

/** `tiphys cluster`, keeping its objects in memory or on disk: all of it, or the API alone where the peer has no controllers
 *  either. */
export function embeddedCluster(command: string, storage: 'memory' | 'disk', parts: 'all' | 'api'): Side {
  return {
    name: storage === 'memory' ? 'tiphys cluster --memory' : 'tiphys cluster',
    async launch(directory) {
      const kubeconfig = join(directory, 'kubeconfig')
      const args = ['cluster', '--port', '0', '--data', join(directory, 'data'), '--kubeconfig-out', kubeconfig]
      return {
        kubeconfig,
        start() {
          const program = new Program(command, [
            ...args,
            ...(storage === 'memory' ? ['--memory'] : []),
            ...(parts === 'api' ? ['--api-only'] : []),
          ])
          return { kubeconfig, residentBytes: () => program.residentBytes(), stop: () => program.stop() }
        },
      }
    },
  }
}
