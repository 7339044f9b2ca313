// Paths of Argo's function jsonpath, which has a JSONPath of its own.
const paths = String.raw`
$
@
$.book
$.book[0]
$.book[0].title
$.book[-1].title
$.book[9]
$.book[*].title
$.book.*.title
$.book[*].isbn
$.book[*].tags[0]
$.book[*].tags[*]
$.book[0:2]
$.book[0:2].title
$.book[1:]
$.book[:2].price
$.book[-2:].title
$.book[::2].title
$.book[::-1].title
$.book[3:0:-1].title
$.book[::0]
$.book[0:2][0]
$.book[0:2][0].title
$.book[0,2].title
$.book[0,2][1].title
$.book[0,9].title
$.book['title']
$.book[0]['title','price']
$.book[0]['title','nope']
$.book[0]["title"]
$.book[0]['title', 'price'][0]
$['book'][1]['title']
$["bicycle"].color
$.bicycle[*]
$.bicycle.*
$.*.price
$..price
$..title
$..book[0].title
$..tags
$..*
$..
$..[0]
$.length
$.book.length
$.bicycle.length
$.text.length
$.limit.length
$.nothing.length
$.book[0].tags.length
$['dotted.key']
$['dotted.key'].a
$.dotted.key
$['sp ace']
$.sp ace
$.nope
$.nope.deeper
$.book.nope
$.limit.nope
$.nothing
$.nothing.x
$.nothing[0]
$.nothing[*]
$.limit[0]
$.limit[*]
$.text[0]
$.bicycle[0]
$.bicycle[0:1]
$.bicycle[0,1]
$.list[3][1][0]
$.list[*][0]
$.list[?(@ > 1)]
$.book[?(@.price < 10)].title
$.book[?(@.price < $.limit)].title
$.book[?(@.price > 10 && @.price < 20)].title
$.book[?(@.price < 10 || @.price > 20)].title
$.book[?(@.isbn)].title
$.book[?(!@.isbn)].title
$.book[?(@.sold)].title
$.book[?(@.sold == true)].title
$.book[?(@.sold == false)].title
$.book[?(@.title == 'A')].price
$.book[?(@.title == "A")].price
$.book[?('A' == @.title)].price
$.book[?(@.title != 'A')].title
$.book[?(@.title =~ '^[AB]$')].title
$.book[?(@.title =~ '[')].title
$.book[?(@.price == 22)].title
$.book[?(@.price + 1 == 23)].title
$.book[?(@.price * 2 >= 40)].title
$.book[?(@.tags)].title
$.book[?(@.more)].title
$.book[?(@.price in [0, 22])].title
$.book[?(@.price not in [0, 22])].title
$.book[?(@.tags[0] == 'x')].title
$.book[?(@.length > 3)].title
$.book[?((@.price < 10) && (@.isbn == '1'))].title
$.book[?(@.price < 10)][0].title
$.book[?(1 == 1)].title
$.book[?(true)].title
$.book[?()]
$.book[?(@.price <)]
$.book[?@.price]
$.bicycle[?(@ == 'red')]
$.limit[?(@ > 1)]
$..book[?(@.price > 20)].title
$.book[(@.length-1)].title
$.book[(@.length - 2)].title
$.book[('x')]
$.book[(1)].title
$.book[(1.5)]
$.book[()]
$.bicycle[('color')]
$.book[(@.nope)]
$.book[0:(@.length-1)].title
$.book[(1):(2)].title
$.book[0,(@.length-1)].title
book
.book
$book
$.
$[
$[]
$['book'
$['book
$['a''b']
$[book]
$[a,b]
$[0:a]
$[0:1:2:3]
$[0,1:2]
$['a':'b']
$[,]
$[0,]
$[?(@.a]
$.book[ 0 ].title
$.book[0 , 2].title
$.book[ 0 : 2 ].title
$.book[?( @.price < 10 )].title
$.book[2].title
$.book[?(@.title == "C'd")].price
$['it\'s']
`

export const selectors = paths
  .split('\n')
  .filter(path => path !== '')
  .flatMap(path => {
    const e = `jsonpath(store, ${JSON.stringify(path)})`
    return [{ d: '1.17', n: 'workflow', e }]
  })
  .concat([
    { d: '1.15', n: 'workflow', e: 'jsonpath(store, "$.book[0].title")' },
    { d: '1.15', n: 'workflow', e: 'jsonpath(store, "$.nope")' },
    { d: '1.15', n: 'workflow', e: 'jsonpath(inputs.parameters.bad, "$.a")' },
    { d: '1.15', n: 'workflow', e: 'jsonpath(x, "$.a")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath(inputs.parameters.bad, "$.a")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath(inputs.parameters.json, "$.a[2].b")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath(x, "$.a")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath(store)' },
    { d: '1.17', n: 'workflow', e: 'jsonpath(m.zz, "$")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath(item.os, "$")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath(toJson(people), "$[?(@.age > 30)].name") | join(",")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath("", "$")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath("5", "$")' },
    { d: '1.17', n: 'workflow', e: 'jsonpath("[1,2]", "$.length") + 1' },
    { d: '1.17', n: 'workflow', e: 'jsonpath("[1,2]", "$.length") == 2' },
  ])
