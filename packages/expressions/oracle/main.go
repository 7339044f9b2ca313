package main

import (
	_ "github.com/google/cel-go/cel"
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	_ "k8s.io/apimachinery/pkg/api/resource"
	_ "k8s.io/apiserver/pkg/cel/environment"
	_ "k8s.io/client-go/util/jsonpath"
)

func main() {}
