import { expect, it } from 'vitest'
import { builtinDiscovery, builtinKindSchema, builtinSchema } from './builtin-schema.ts'

it('links the schemas of every served kind', () => {
  for (const { groupVersion, resources } of builtinDiscovery()) {
    for (const resource of resources) {
      const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion]
      const schema = builtinKindSchema(
        resource.group ?? (group as string),
        resource.version ?? (version as string),
        resource.kind,
      )
      expect(schema?.properties, `${groupVersion} ${resource.kind}`).toBeDefined()
    }
  }
})

it('knows merge keys, list types and atomic types', () => {
  const container = builtinSchema('io.k8s.api.core.v1.Container').properties
  expect(container?.ports).toMatchObject({
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
    'x-kubernetes-patch-merge-key': 'containerPort',
  })
  expect(builtinSchema('io.k8s.api.apps.v1.DeploymentSpec').properties?.selector?.['x-kubernetes-map-type']).toBe(
    'atomic',
  )
})

it('hoists embedded structs in JSON and keeps their protobuf message', () => {
  const volume = builtinSchema('io.k8s.api.core.v1.Volume')
  expect(volume.properties?.emptyDir).toBeDefined()
  expect(volume.go?.inlined?.[0]?.number).toBe(2)
})

it('follows a type that contains itself', () => {
  const props = builtinSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')
  expect(props.properties?.not?.properties?.not).toBe(props.properties?.not)
})
