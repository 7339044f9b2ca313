import { type Area, area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'

export const helm3 = area('helm3', { tool: 'helm3' })
export const helm4 = area('helm4', { tool: 'helm4' })

for (const helm of [helm3, helm4]) addScenarios(helm)

function addScenarios({ name: program, scenario }: Area): void {
  scenario('a release from its installation to its end', async t => {
    await t.writeFiles(chart(t))
    t.removeAtEnd(`widgets.${t.group}`)
    // Everything but the times.
    const keep = /^(NAME|NAMESPACE|STATUS|REVISION|Error|Release|release|Rollback|.*failed)/
    const helm = (command: string) => t.kubectl(command, { program, keep })
    await helm('install demo chart')
    await t.kubectl('list --short', { program })
    await t.kubectl('get manifest demo', { program })
    await showObjects(t)
    await helm('upgrade demo chart --set color=green --set replicas=2 --set size=5')
    await showValues(t)
    await helm('upgrade demo chart --set size=50')
    await showReleases(t)
    await helm('rollback demo 1')
    await showValues(t)
    await showReleases(t)
    await helm('upgrade demo chart --dry-run=server --set color=red')
    await helm('uninstall demo')
    await showObjects(t)
    await helm('status demo')
  })
}

const showObjects = (t: Session) => t.kubectl(`get deployments,services,configmaps,widgets.${t.group},secrets -o name`)

async function showValues(t: Session): Promise<void> {
  await t.kubectl('get deployment demo-web -o jsonpath={.spec.replicas}')
  await t.kubectl('get configmap demo-settings -o jsonpath={.data}')
  await t.kubectl(`get widgets.${t.group} demo-widget -o jsonpath={.spec}`)
}

const showReleases = (t: Session) =>
  t.kubectl(
    `get secrets -l owner=helm -o 'jsonpath={range .items[*]}{.metadata.name} {.metadata.labels.status}{"\\n"}{end}'`,
  )

/** Objects of built-in kinds, a hook, a definition and an object of its kind. */
function chart({ group }: Session): Record<string, string> {
  return {
    'chart/Chart.yaml': 'apiVersion: v2\nname: demo\nversion: 0.1.0\n',
    'chart/values.yaml': 'replicas: 1\ncolor: blue\nsize: 3\n',
    'chart/crds/widgets.yaml': `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { size: { type: integer, maximum: 10 } } }
`,
    'chart/templates/hook.yaml': `
apiVersion: v1
kind: ConfigMap
metadata:
  name: "{{ .Release.Name }}-hook"
  annotations: { helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation }
data:
  server: "{{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }}"
`,
    'chart/templates/objects.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata: { name: "{{ .Release.Name }}-web" }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx, ports: [{ containerPort: 80 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: "{{ .Release.Name }}-web" }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: "{{ .Release.Name }}-settings" }
data: { color: "{{ .Values.color }}" }
---
apiVersion: ${group}/v1
kind: Widget
metadata: { name: "{{ .Release.Name }}-widget" }
spec: { size: {{ .Values.size }} }
`,
  }
}
