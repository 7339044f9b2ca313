import { configMap, container, definition, deployment, pod, service, widget } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'

/** The program that most people speak to a cluster with. */
export const kubectl = area('kubectl', { tool: 'kubectl' })
const { scenario } = kubectl

const quiet = { unrecorded: true }
const manifest = (...objects: object[]) => ({ stdin: objects.map(object => JSON.stringify(object)).join('\n---\n') })
const yamlConfigMap = (data: string) => ({
  stdin: `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  labels:\n    app: demo\ndata:\n${data}`,
})

async function createConfigMap(t: Session, name = 'settings'): Promise<void> {
  await t.post(t.core('configmaps'), configMap(name, { color: 'blue' }, { labels: { app: 'demo' } }), quiet)
}

scenario('apply creates, leaves alone and configures', async t => {
  await t.kubectl('apply -f -', yamlConfigMap('  color: blue\n  size: "3"\n'))
  await t.kubectl('apply -f -', yamlConfigMap('  color: blue\n  size: "3"\n'))
  await t.kubectl('apply -f -', yamlConfigMap('  color: red\n'))
  await t.get(t.core('configmaps/settings'))
})

scenario('apply merges lists of a deployment', async t => {
  await t.kubectl('apply -f -', manifest(deployment('web', {}, [container('one'), container('two')])))
  await t.kubectl('apply -f -', manifest(deployment('web', { replicas: 2 }, [container('two'), container('three')])))
  await t.get(t.api('apps/v1', 'deployments/web'))
})

scenario('apply refuses unknown fields and bad values', async t => {
  await t.kubectl('apply -f -', yamlConfigMap('  color: blue\nsurprise: 1\n'))
  await t.kubectl('apply -f -', manifest(deployment('web', { replicas: -1 })))
  await t.kubectl('apply -f -', { stdin: 'apiVersion: v1\nkind: Nonsense\nmetadata: {name: a}\n' })
  await t.kubectl('apply -f -', { stdin: 'not yaml: [' })
})

scenario('apply of several objects', async t => {
  await t.kubectl('apply -f -', manifest(configMap('a'), service('b'), deployment('c')))
  await t.kubectl('delete -f -', manifest(configMap('a'), service('b'), deployment('c')))
})

scenario('apply --server-side with conflict and force', async t => {
  await t.kubectl('apply --server-side -f -', yamlConfigMap('  color: blue\n'))
  // The advice that follows the error is kubectl's own.
  const conflict = { ...yamlConfigMap('  color: red\n'), keep: /^error|configmap/ }
  await t.kubectl('apply --server-side --field-manager=other -f -', conflict)
  await t.kubectl('apply --server-side --field-manager=other --force-conflicts -f -', yamlConfigMap('  color: red\n'))
})

scenario(
  'apply --server-side takes over what client-side apply owned',
  async t => {
    await t.kubectl('apply -f -', yamlConfigMap('  color: blue\n  size: "3"\n'))
    await t.kubectl('apply --server-side -f -', yamlConfigMap('  color: red\n'))
    await t.get(t.core('configmaps/settings'))
  },
  { managedFields: true },
)

scenario('apply --dry-run=server', async t => {
  await t.kubectl('apply --dry-run=server -f -', yamlConfigMap('  color: blue\n'))
  await t.kubectl('get configmap settings')
})

scenario('create --dry-run=server', async t => {
  await t.kubectl('create --dry-run=server -f - -o yaml', yamlConfigMap('  color: blue\n'))
  await t.kubectl('create deployment web --image=example.test/web:1 --dry-run=server -o json')
  await t.kubectl('create configmap none --from-literal=a=b --dry-run=client -o yaml')
})

scenario('create refuses what exists', async t => {
  await t.kubectl('create -f -', yamlConfigMap('  color: blue\n'))
  await t.kubectl('create -f -', yamlConfigMap('  color: blue\n'))
})

scenario('create by kind', async t => {
  await t.kubectl('create configmap a --from-literal=x=1')
  await t.kubectl('create secret generic b --from-literal=x=1')
  await t.kubectl('create deployment c --image=example.test/web:1 --replicas=2 --port=80')
  await t.kubectl('create service clusterip d --tcp=80:8080')
  await t.kubectl('create serviceaccount e')
  await t.kubectl('create role f --verb=get,list --resource=pods')
  await t.kubectl('create rolebinding g --role=f --user=joe')
  await t.kubectl('create job h --image=example.test/job:1 -- echo hello')
  await t.kubectl(`create cronjob i --image=example.test/job:1 '--schedule=*/5 * * * *' -- echo hello`)
  await t.kubectl('create quota j --hard=pods=10')
  await t.kubectl('create poddisruptionbudget k --selector=app=x --min-available=1')
  await t.kubectl(`create ingress l '--rule=a.test/=d:80'`)
  await t.kubectl(
    'get cm/a secret/b deploy/c svc/d sa/e role/f rolebinding/g job/h cronjob/i quota/j pdb/k ing/l -o name',
  )
})

scenario('create token', async t => {
  const created = await t.kubectl('create token default', { keep: /^error/ })
  t.note('prints a token', created.stdout.startsWith('eyJ'))
  await t.kubectl('create token none')
})

scenario('get in every form', async t => {
  await createConfigMap(t)
  await t.kubectl('get configmap settings')
  await t.kubectl('get configmap settings -o wide')
  await t.kubectl('get configmap settings -o name')
  await t.kubectl('get configmap settings -o json')
  await t.kubectl('get configmap settings -o yaml')
  await t.kubectl('get configmap settings -o jsonpath={.data.color}')
  await t.kubectl(`get configmaps '-o=jsonpath={range .items[*]}{.metadata.name}{"\\t"}{.data.color}{"\\n"}{end}'`)
  await t.kubectl('get configmaps -o custom-columns=NAME:.metadata.name,COLOR:.data.color')
  await t.kubectl(`get configmaps '-o=go-template={{len .items}}'`)
})

scenario('get by labels, fields and order', async t => {
  for (const name of ['b', 'a', 'c']) await createConfigMap(t, name)
  await t.kubectl('label configmap c app=other --overwrite')
  await t.kubectl('get configmaps -l app=demo')
  await t.kubectl('get configmaps --show-labels')
  await t.kubectl('get configmaps -L app')
  await t.kubectl('get configmaps --field-selector metadata.name=b')
  await t.kubectl('get configmaps --sort-by=.metadata.name --no-headers')
  await t.kubectl(`get configmaps -A --field-selector metadata.namespace=${t.namespace}`)
})

scenario('get of workloads', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: 2 }), quiet)
  await t.post(t.core('pods'), pod('p', { nodeName: 'node-1' }), quiet)
  await t.post(t.core('services'), service('s', { clusterIP: 'None' }), quiet)
  await t.kubectl('get deployments')
  await t.kubectl('get deployments -o wide')
  await t.kubectl('get pods')
  await t.kubectl('get pods -o wide')
  await t.kubectl('get services -o wide')
  await t.kubectl('get deploy,po,svc')
  await t.kubectl('get all')
})

scenario('get of what does not exist', async t => {
  await t.kubectl('get configmap none')
  await t.kubectl('get configmaps')
  await t.kubectl('get nosuchthings')
  await t.kubectl('get configmap none --ignore-not-found')
  await t.kubectl('get --raw /no/such/path')
})

scenario('get --watch', async t => {
  await createConfigMap(t)
  await t.kubectl('get configmaps --watch', {
    endless: {
      lines: 4,
      meanwhile: async () => {
        await t.post(t.core('configmaps'), configMap('second'), quiet)
        await t.mergePatch(t.core('configmaps/second'), { data: { more: 'x' } }, quiet)
      },
    },
  })
  await t.kubectl('get configmaps --watch --output-watch-events -o name', {
    endless: { lines: 3, meanwhile: async () => void (await t.delete(t.core('configmaps/second'), undefined, quiet)) },
  })
})

scenario('get as someone who may not', async t => {
  await t.kubectl('get configmaps', { as: 'joe' })
  await t.kubectl('get nodes', { as: 'joe' })
  await t.kubectl('get configmaps --as=someone --as-group=team')
})

scenario('describe', async t => {
  await createConfigMap(t)
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: 2 }), quiet)
  await t.post(
    t.core('pods'),
    pod('p', {
      nodeName: 'node-1',
      containers: [container('main', { env: [{ name: 'A', value: 'b' }], ports: [{ containerPort: 80 }] })],
    }),
    quiet,
  )
  await t.post(t.core('services'), service('s', { clusterIP: 'None' }), quiet)
  await t.kubectl('describe configmap settings')
  await t.kubectl('describe deployment web')
  await t.kubectl('describe pod p')
  await t.kubectl('describe service s')
  await t.kubectl('describe serviceaccount default')
  await t.kubectl('describe configmap none')
})

scenario('describe shows the events of an object', async t => {
  const created = await t.post(t.core('pods'), pod('p'), quiet)
  await t.post(
    t.core('events'),
    {
      metadata: { name: 'e' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: t.namespace, uid: created.uid },
      reason: 'Started',
      message: 'it started',
      type: 'Normal',
      source: { component: 'conformance' },
      count: 2,
      firstTimestamp: '2020-01-01T00:00:00Z',
      lastTimestamp: '2020-01-01T00:00:00Z',
    },
    quiet,
  )
  await t.kubectl('describe pod p', { keep: /^Events|Started|Reason/ })
  await t.kubectl('events --for pod/p', { keep: /Started|REASON/ })
  await t.kubectl('get events', { keep: /Started|REASON/ })
})

scenario('explain built-in kinds', async t => {
  const structure = { keep: /^(KIND|VERSION|GROUP|FIELD)|^ {2}[a-zA-Z]+\t|^error|^Error/ }
  await t.kubectl('explain configmap', structure)
  await t.kubectl('explain deployment.spec.strategy', structure)
  await t.kubectl('explain pod.spec.containers.resources', structure)
  await t.kubectl('explain pod.spec.nope', structure)
  await t.kubectl('explain nosuchthings')
})

scenario('explain custom kinds', async t => {
  await t.define(
    definition(t, {
      schema: {
        type: 'object',
        description: 'A widget is a thing.',
        properties: {
          spec: {
            type: 'object',
            description: 'What is wanted.',
            required: ['size'],
            properties: {
              size: { type: 'integer', description: 'How large.' },
              tags: { type: 'array', items: { type: 'string' } },
              mode: { type: 'string', enum: ['a', 'b'] },
            },
          },
        },
      },
    }),
  )
  await t.until(
    () => t.get(`/openapi/v3/apis/${t.group}/v1`, quiet),
    reply => reply.status === 200 && reply.text.includes('How large'),
  )
  await t.kubectl(`explain widgets.${t.group}.spec`)
  await t.kubectl(`explain widgets.${t.group}.spec.size`)
})

scenario('custom resources from definition to deletion', async t => {
  await t.kubectl(
    'apply -f -',
    manifest(
      definition(t, {
        names: { shortNames: [t.namespace] },
        version: { additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }] },
      }),
    ),
  )
  t.removeAtEnd(`widgets.${t.group}`)
  await t.kubectl(`wait --for=condition=Established crd/widgets.${t.group} --timeout=20s`)
  await t.served(`widgets.${t.group}`)
  await t.kubectl('apply -f -', manifest(widget(t, 'one', { spec: { size: 3 } })))
  await t.kubectl('apply -f -', manifest(widget(t, 'one', { spec: { size: 4 } })))
  await t.kubectl(`get widgets.${t.group}`)
  await t.kubectl(`get ${t.namespace} one -o yaml`)
  await t.kubectl(`patch widgets.${t.group} one --type=merge -p {"spec":{"size":5}}`)
  await t.kubectl(`describe widgets.${t.group} one`)
  await t.kubectl(`delete widgets.${t.group} one`)
})

scenario('wait', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'), quiet)
  await t.kubectl('wait --for=condition=Available deployment/web --timeout=1s')
  await t.mergePatch(
    t.api('apps/v1', 'deployments/web/status'),
    { status: { conditions: [{ type: 'Available', status: 'True' }] } },
    quiet,
  )
  await t.kubectl('wait --for=condition=Available deployment/web --timeout=10s')
  await t.kubectl('wait --for=jsonpath={.spec.replicas}=1 deployment/web --timeout=10s')
  await t.kubectl('wait --for=delete configmap/none --timeout=10s')
  await t.kubectl('wait --for=condition=Available deployment/none --timeout=1s')
})

scenario('patch by every type', async t => {
  await createConfigMap(t)
  await t.kubectl('patch configmap settings -p {"data":{"a":"1"}}')
  await t.kubectl('patch configmap settings --type=merge -p {"data":{"a":null}}')
  await t.kubectl(`patch configmap settings --type=json '-p=[{"op":"add","path":"/data/b","value":"2"}]'`)
  await t.kubectl(`patch configmap settings --type=json '-p=[{"op":"test","path":"/data/b","value":"3"}]'`)
  await t.kubectl('patch configmap settings -p {"data":{"b":"2"}}')
  await t.kubectl('get configmap settings -o jsonpath={.data}')
})

scenario('patch of subresources', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'), quiet)
  await t.kubectl('patch deployment web --subresource=status --type=merge -p {"status":{"replicas":1}}')
  await t.kubectl('patch deployment web --subresource=scale --type=merge -p {"spec":{"replicas":3}}')
  await t.kubectl('get deployment web --subresource=scale -o yaml')
})

scenario('edit with a scripted editor', async t => {
  await createConfigMap(t)
  await t.kubectl('edit configmap settings', { environment: { KUBE_EDITOR: 'sed -i s/blue/red/' } })
  await t.kubectl('edit configmap settings', { environment: { KUBE_EDITOR: 'true' } })
  await t.kubectl('get configmap settings -o jsonpath={.data.color}')
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'), quiet)
  await t.kubectl('edit deployment web', { environment: { KUBE_EDITOR: 'sed -i s/replicas:.1/replicas:\\ 5/' } })
  await t.kubectl('get deployment web -o jsonpath={.spec.replicas}')
})

scenario('label and annotate', async t => {
  await createConfigMap(t)
  await t.kubectl('label configmap settings tier=front')
  await t.kubectl('label configmap settings tier=back')
  await t.kubectl('label configmap settings tier=back --overwrite')
  await t.kubectl('label configmap settings tier-')
  await t.kubectl('label configmap settings bad!=x')
  await t.kubectl(`annotate configmap settings 'note=some words'`)
  await t.kubectl('annotate configmap settings note-')
  await t.kubectl('label configmap none a=b')
  await t.kubectl('label configmaps -l app=demo found=yes')
})

scenario('scale', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: 1 }), quiet)
  await t.kubectl('scale deployment web --replicas=3')
  await t.kubectl('scale deployment web --current-replicas=1 --replicas=5')
  await t.kubectl('scale deployment web --current-replicas=3 --replicas=5')
  await t.kubectl('scale deployment none --replicas=1')
  await t.kubectl('scale configmap none --replicas=1')
  await t.kubectl('get deployment web -o jsonpath={.spec.replicas}')
})

scenario('delete with each cascade', async t => {
  for (const name of ['a', 'b', 'c', 'd']) await createConfigMap(t, name)
  await t.kubectl('delete configmap a')
  await t.kubectl('delete configmap b --cascade=background')
  await t.kubectl('delete configmap c --cascade=foreground --wait=false')
  await t.kubectl('get configmap c -o jsonpath={.metadata.finalizers}')
  await t.kubectl('delete configmap d --cascade=orphan --wait=false')
  await t.kubectl('get configmap d -o jsonpath={.metadata.finalizers}')
})

scenario('delete in other ways', async t => {
  for (const name of ['a', 'b', 'c']) await createConfigMap(t, name)
  await t.post(t.core('pods'), pod('p', { nodeName: 'node-1' }), quiet)
  await t.kubectl('delete configmap none')
  await t.kubectl('delete configmap none --ignore-not-found')
  await t.kubectl('delete configmap a --dry-run=server')
  await t.kubectl('delete configmaps -l app=demo')
  await t.kubectl('delete pod p --now --wait=false')
  await t.kubectl('delete pod p --force --grace-period=0')
})

scenario('delete waits for finalizers', async t => {
  await t.post(t.core('configmaps'), configMap('held', {}, { finalizers: ['example.test/hold'] }), quiet)
  // After less than a second kubectl's watch may complain, over HTTP/1.1, that it was so short.
  await t.kubectl('delete configmap held --timeout=2s')
  await t.kubectl('patch configmap held --type=merge -p {"metadata":{"finalizers":null}}')
  await t.kubectl('get configmap held')
})

scenario('replace', async t => {
  await createConfigMap(t)
  await t.kubectl('replace -f -', yamlConfigMap('  color: green\n'))
  await t.kubectl('replace --force -f -', yamlConfigMap('  color: black\n'))
  await t.kubectl('replace -f -', manifest(configMap('none')))
})

scenario('auth can-i', async t => {
  await t.kubectl('auth can-i get pods')
  await t.kubectl('auth can-i get pods', { as: 'joe' })
  await t.kubectl('auth can-i get /version', { as: 'joe' })
  await t.kubectl('auth can-i get nosuchthings')
  await t.kubectl('auth can-i get pods --subresource=log')
  await t.kubectl('auth can-i --list', { as: 'joe', keep: /selfsubject|Resources/ })
  await t.kubectl('auth can-i list secrets --as=someone')
})

scenario('auth whoami', async t => {
  await t.kubectl('auth whoami', { as: 'jane' })
  await t.kubectl('auth whoami -o json')
})

scenario('api-resources and api-versions', async t => {
  await t.kubectl('api-resources --sort-by=name', { keep: /^(?!.*conformance\.dev)/ })
  await t.kubectl('api-resources --api-group=apps -o wide')
  await t.kubectl('api-resources --namespaced=false --verbs=list -o name', { keep: /^(?!.*conformance\.dev)/ })
  await t.kubectl('api-versions', { keep: /^(?!.*conformance\.dev)/ })
})

scenario('version and cluster-info', async t => {
  await t.kubectl('version', { keep: /^(Client|Server|Kustomize) / })
  await t.kubectl('get --raw /readyz')
  await t.kubectl('get --raw /version', { keep: /Version|ajor|inor/ })
})

scenario('rollout', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: 1 }), quiet)
  await t.kubectl('rollout restart deployment web')
  await t.kubectl('rollout pause deployment web')
  await t.kubectl('rollout pause deployment web')
  await t.kubectl('rollout resume deployment web')
  await t.kubectl('rollout history deployment web')
  await t.kubectl('rollout status deployment web --timeout=1s')
})

scenario('set', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'), quiet)
  await t.kubectl('set image deployment/web main=example.test/main:2')
  await t.kubectl('set env deployment/web A=b')
  await t.kubectl('set resources deployment web --limits=cpu=200m')
  await t.kubectl('set image deployment/web none=example.test/main:2')
  await t.kubectl('get deployment web -o jsonpath={.spec.template.spec.containers}')
})

scenario('expose, autoscale and run', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'), quiet)
  await t.kubectl('expose deployment web --port=80 --target-port=8080 --cluster-ip=None')
  await t.kubectl('autoscale deployment web --min=1 --max=3 --cpu=50%')
  await t.kubectl('run one --image=example.test/one:1 --restart=Never')
  await t.kubectl('get svc/web hpa/web pod/one')
})

scenario('cordon, taint and drain', async t => {
  const node = `node-${t.namespace}`
  await t.post('/api/v1/nodes', { metadata: { name: node } }, quiet)
  await t.post(t.core('pods'), pod('p', { nodeName: node }), quiet)
  await t.kubectl(`cordon ${node}`)
  await t.kubectl(`uncordon ${node}`)
  await t.kubectl(`taint node ${node} a=b:NoSchedule`)
  await t.kubectl(`taint node ${node} a-`)
  await t.kubectl(`drain ${node} --dry-run=server`)
  await t.kubectl(`drain ${node}`)
  await t.delete(`/api/v1/nodes/${node}`, undefined, quiet)
})

scenario('debug adds a container', async t => {
  await t.post(t.core('pods'), pod('p'), quiet)
  await t.kubectl('debug p --image=example.test/debug:1 -c debugger --attach=false --profile=general')
  await t.kubectl('get pod p -o jsonpath={.spec.ephemeralContainers[*].name}')
})

scenario('logs and exec of a pod that runs nowhere', async t => {
  await t.post(t.core('pods'), pod('p'), quiet)
  await t.kubectl('logs p')
  await t.kubectl('logs none')
  await t.kubectl('exec none -- ls')
})

scenario('shows warnings', async t => {
  await t.kubectl('get endpoints')
  await t.kubectl('apply -f - --validate=warn', yamlConfigMap('  color: blue\nsurprise: 1\n'))
  await t.kubectl('apply -f - --validate=ignore', { stdin: `${yamlConfigMap('  color: blue\n').stdin}surprise: 1\n` })
})
