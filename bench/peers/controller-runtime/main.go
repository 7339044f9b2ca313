// The peer of the events bench: an operator as one writes it with controller-runtime. For every Thing it creates a
// ConfigMap; it says "ready" when its caches are filled.
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const workers = 16

var thing = schema.GroupVersionKind{Group: "bench.tiphys.dev", Version: "v1", Kind: "Thing"}

type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(thing)
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if object.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, nil
	}
	value, _, _ := unstructured.NestedString(object.Object, "spec", "value")
	child := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      request.Name,
			Namespace: request.Namespace,
			Labels:    map[string]string{"bench": "child"},
		},
		Data: map[string]string{"value": value},
	}
	if err := r.Create(ctx, child); err != nil && !apierrors.IsAlreadyExists(err) {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, nil
}

func main() {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		return err
	}
	// No limit of its own: the server decides how fast it goes.
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	watched := &unstructured.Unstructured{}
	watched.SetGroupVersionKind(thing)
	err = ctrl.NewControllerManagedBy(manager).
		Named("things").
		For(watched).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(reconciler{manager.GetClient()})
	if err != nil {
		return err
	}
	go func() {
		if manager.GetCache().WaitForCacheSync(ctx) {
			fmt.Println("ready")
		}
	}()
	return manager.Start(ctx)
}
