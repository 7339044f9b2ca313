package main

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

type kind = descriptorpb.FieldDescriptorProto_Type

const (
	bytesField  = descriptorpb.FieldDescriptorProto_TYPE_BYTES
	stringField = descriptorpb.FieldDescriptorProto_TYPE_STRING
	boolField   = descriptorpb.FieldDescriptorProto_TYPE_BOOL
)

type field struct {
	name string
	kind kind
}

// The messages of Argo Events' generic.proto and trigger.proto; fields are numbered in their order.
var shapes = map[string][]field{
	"EventSource":           {{"name", stringField}, {"config", bytesField}},
	"Event":                 {{"name", stringField}, {"payload", bytesField}},
	"FetchResourceRequest":  {{"resource", bytesField}},
	"FetchResourceResponse": {{"resource", bytesField}},
	"ExecuteRequest":        {{"resource", bytesField}, {"payload", bytesField}},
	"ExecuteResponse":       {{"response", bytesField}},
	"ApplyPolicyRequest":    {{"request", bytesField}},
	"ApplyPolicyResponse":   {{"success", boolField}, {"message", stringField}},
}

var descriptors = describe()

func describe() map[string]protoreflect.MessageDescriptor {
	found := map[string]protoreflect.MessageDescriptor{}
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("all.proto"), Syntax: proto.String("proto3")}
	for name, fields := range shapes {
		message := &descriptorpb.DescriptorProto{Name: proto.String(name)}
		for i, one := range fields {
			message.Field = append(message.Field, &descriptorpb.FieldDescriptorProto{
				Name:   proto.String(one.name),
				Number: proto.Int32(int32(i + 1)),
				Type:   one.kind.Enum(),
				Label:  descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			})
		}
		file.MessageType = append(file.MessageType, message)
	}
	built, err := protodesc.NewFile(file, nil)
	if err != nil {
		panic(err)
	}
	for name := range shapes {
		found[name] = built.Messages().ByName(protoreflect.Name(name))
	}
	return found
}

type message struct{ *dynamicpb.Message }

func empty(name string) message { return message{dynamicpb.NewMessage(descriptors[name])} }

func (m message) of(name string) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByName(protoreflect.Name(name))
}

func (m message) text(name string) string {
	value := m.Get(m.of(name))
	if m.of(name).Kind() == protoreflect.BytesKind {
		return string(value.Bytes())
	}
	return value.String()
}

func (m message) with(name string, value any) message {
	m.Set(m.of(name), protoreflect.ValueOf(value))
	return m
}
