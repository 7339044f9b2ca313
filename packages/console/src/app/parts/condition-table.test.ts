import { describe, expect, it } from 'vitest'
import { remedyOf } from './condition-table.tsx'

const object = { apiVersion: 'argoproj.io/v1alpha1', kind: 'EventSource', namespace: 'shop', name: 'orders' }

describe('a remedy', () => {
  it('grants what somebody was refused', () => {
    const message =
      'Cannot create ConfigMap x: configmaps is forbidden: User "system:serviceaccount:shop:operator" cannot create resource "configmaps" in API group "" in the namespace "till"'
    expect(remedyOf({ object, message })).toBe(
      `kubectl create role orders-configmaps-create -n till --verb=create --resource=configmaps
kubectl create rolebinding orders-configmaps-create -n till --role=orders-configmaps-create --serviceaccount=shop:operator`,
    )
    const clusterWide =
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope'
    expect(remedyOf({ object, message: clusterWide })).toBe(
      `kubectl create clusterrole orders-nodes-list --verb=list --resource=nodes
kubectl create clusterrolebinding orders-nodes-list --clusterrole=orders-nodes-list --user=jane`,
    )
  })

  it('lets the account of a source watch, which the refusal does not name', () => {
    const message =
      'changes: Not allowed to watch widgets.example.com in namespace till: grant the verbs list and watch on it'
    expect(remedyOf({ object, message }, 'shop:watcher')).toBe(
      `kubectl create role orders-widgets-watch -n till --verb=get,list,watch --resource=widgets.example.com
kubectl create rolebinding orders-widgets-watch -n till --role=orders-widgets-watch --serviceaccount=shop:watcher`,
    )
    const everywhere = 'Not allowed to list secrets in all namespaces: grant the verbs list and watch on it'
    expect(remedyOf({ object, message: everywhere })).toBe(
      `kubectl create clusterrole orders-secrets-watch --verb=get,list,watch --resource=secrets
kubectl create clusterrolebinding orders-secrets-watch --clusterrole=orders-secrets-watch --serviceaccount=shop:default`,
    )
  })

  it('is not made up', () => {
    expect(remedyOf({ object, message: 'the disk is full' })).toBeUndefined()
    expect(remedyOf({ object })).toBeUndefined()
  })
})
