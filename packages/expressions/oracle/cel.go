package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// A case evaluates an expression. With a schema, self (and oldSelf, an optional when it is asked for) are read
// through it; without one, self is a dynamic value.
type celCase struct {
	Expression      string          `json:"e"`
	Schema          json.RawMessage `json:"s,omitempty"`
	Root            bool            `json:"root,omitempty"`
	Self            json.RawMessage `json:"self,omitempty"`
	OldSelf         json.RawMessage `json:"old,omitempty"`
	OptionalOldSelf bool            `json:"optional,omitempty"`
	Limit           uint64          `json:"limit,omitempty"`
}

type celAnswer struct {
	Compile string  `json:"compile,omitempty"`
	Program string  `json:"program,omitempty"`
	Type    string  `json:"type,omitempty"`
	Min     string  `json:"min,omitempty"`
	Max     string  `json:"max,omitempty"`
	Value   string  `json:"value,omitempty"`
	Error   string  `json:"error,omitempty"`
	Cost    *uint64 `json:"cost,omitempty"`
}

var baseEnv = environment.MustBaseEnvSet(version.MajorMinor(1, 36))

func answerCel(raw json.RawMessage) (any, error) {
	var c celCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	structural, declType, err := declare(c)
	if err != nil {
		return nil, err
	}
	env, err := envOf(c, declType)
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(c.Expression)
	if issues != nil && issues.Err() != nil {
		return celAnswer{Compile: issues.String()}, nil
	}
	answer := celAnswer{Type: ast.OutputType().String()}
	estimator := &library.CostEstimator{}
	if declType != nil {
		estimator.SizeEstimator = &sizeEstimator{root: declType}
	}
	estimate, err := env.EstimateCost(ast, estimator)
	if err != nil {
		return nil, err
	}
	answer.Min, answer.Max = strconv.FormatUint(estimate.Min, 10), strconv.FormatUint(estimate.Max, 10)
	limit := c.Limit
	if limit == 0 {
		limit = math.MaxUint64
	}
	program, err := env.Program(ast, cel.CostLimit(limit), cel.CostTracking(estimator))
	if err != nil {
		answer.Program = err.Error()
		return answer, nil
	}
	activation, err := activate(c, structural)
	if err != nil {
		return nil, err
	}
	value, details, err := program.Eval(activation)
	if details != nil && details.ActualCost() != nil {
		answer.Cost = details.ActualCost()
	}
	if err != nil {
		answer.Error = err.Error()
		if strings.Contains(answer.Error, "cost limit") {
			answer.Cost = nil
		}
		return answer, nil
	}
	answer.Value = render(value)
	return answer, nil
}

func declare(c celCase) (*schema.Structural, *apiservercel.DeclType, error) {
	if len(c.Schema) == 0 {
		return nil, nil, nil
	}
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(c.Schema, &v1); err != nil {
		return nil, nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		return nil, nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, nil, err
	}
	declType := model.SchemaDeclType(structural, c.Root)
	if declType == nil {
		return nil, nil, fmt.Errorf("the schema declares no type")
	}
	return structural, declType.MaybeAssignTypeName("selfType1"), nil
}

func envOf(c celCase, declType *apiservercel.DeclType) (*cel.Env, error) {
	selfType := cel.DynType
	var declTypes []*apiservercel.DeclType
	if declType != nil {
		selfType = declType.CelType()
		declTypes = append(declTypes, declType)
	}
	oldSelfType := selfType
	if c.OptionalOldSelf {
		oldSelfType = types.NewOptionalType(selfType)
	}
	set, err := baseEnv.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("self", selfType),
			cel.Variable("oldSelf", oldSelfType),
			cel.Variable("authorizer", library.AuthorizerType),
		},
		DeclTypes: declTypes,
	})
	if err != nil {
		return nil, err
	}
	return set.StoredExpressionsEnv(), nil
}

func activate(c celCase, structural *schema.Structural) (map[string]any, error) {
	activation := map[string]any{"authorizer": library.NewAuthorizerVal(&user.DefaultInfo{Name: "jane"}, answers{})}
	add := func(name string, raw json.RawMessage, optional bool) error {
		if len(raw) == 0 {
			if optional {
				activation[name] = types.OptionalNone
			}
			return nil
		}
		var value any
		if err := utiljson.Unmarshal(raw, &value); err != nil {
			return err
		}
		if structural != nil {
			root := structural
			if c.Root {
				root = model.WithTypeAndObjectMeta(structural)
			}
			value = common.UnstructuredToVal(value, &model.Structural{Structural: root})
		}
		if optional {
			value = types.OptionalOf(types.DefaultTypeAdapter.NativeToValue(value))
		}
		activation[name] = value
		return nil
	}
	if err := add("self", c.Self, false); err != nil {
		return nil, err
	}
	if err := add("oldSelf", c.OldSelf, c.OptionalOldSelf); err != nil {
		return nil, err
	}
	return activation, nil
}

// answers allows get and says why, fails for fail, and denies the rest with what it was asked.
type answers struct{}

func (answers) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	asked := strings.Join([]string{
		a.GetUser().GetName(), a.GetVerb(), a.GetPath(), a.GetAPIGroup(), a.GetResource(), a.GetSubresource(), a.GetNamespace(), a.GetName(),
	}, ",")
	switch a.GetVerb() {
	case "get":
		return authorizer.DecisionAllow, "allowed " + asked, nil
	case "fail":
		return authorizer.DecisionNoOpinion, "", errors.New("no answer")
	}
	return authorizer.DecisionDeny, "denied " + asked, nil
}

type sizeEstimator struct{ root *apiservercel.DeclType }

func (s *sizeEstimator) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	node := s.root
	for _, name := range element.Path()[1:] {
		switch name {
		case "@items", "@values":
			node = node.ElemType
		case "@keys":
			node = node.KeyType
		default:
			field, found := node.Fields[name]
			if !found {
				return nil
			}
			node = field.Type
		}
		if node == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(node.MaxElements)}
}

func (s *sizeEstimator) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

var pointers = regexp.MustCompile(`0x[0-9a-f]+`)

// render writes a value so that both sides can write it alike, whatever their types are.
func render(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		return strconv.FormatFloat(float64(v), 'e', -1, 64)
	case types.String:
		return quote(string(v))
	case types.Bytes:
		return fmt.Sprintf("b%x", []byte(v))
	case types.Timestamp, types.Duration:
		return value.Type().TypeName() + "(" + string(value.ConvertToType(types.StringType).(types.String)) + ")"
	case *types.Optional:
		if v.HasValue() {
			return "optional(" + render(v.GetValue()) + ")"
		}
		return "optional.none"
	case traits.Lister:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, render(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			parts = append(parts, render(key)+": "+render(v.Get(key)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case *types.Err:
		return "error(" + v.Error() + ")"
	case ref.Type:
		return "type(" + v.TypeName() + ")"
	case apiservercel.Quantity:
		return "quantity(" + v.Quantity.String() + ")"
	case *apiservercel.Quantity:
		return "quantity(" + v.Quantity.String() + ")"
	case apiservercel.IP:
		return "ip(" + v.Addr.String() + ")"
	case apiservercel.CIDR:
		return "cidr(" + v.Prefix.String() + ")"
	case apiservercel.URL:
		return "url(" + v.URL.String() + ")"
	default:
		return pointers.ReplaceAllString(value.Type().TypeName(), "")
	}
}

func quote(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}
