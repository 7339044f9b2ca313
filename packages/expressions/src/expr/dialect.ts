/** Which version of the language: that of Argo Workflows (expr-lang/expr 1.17) or that of Argo Events' event sources
 *  (antonmedv/expr 1.15.5). */
export type ExprDialect = '1.17' | '1.15'
