import type {
  Body,
  Expression,
  MatchCase,
  Module,
  Parameter,
  Parameters,
  Statement,
} from '../../engine/syntax/index.ts';

/** A module as text that a test can compare: Python again, with every operation in parentheses and blocks in braces. */
export const outline = (module: Module): string => block(module.body);

const block = (body: Body): string => body.map(statement).join('; ');

const braces = (body: Body): string => `{${block(body)}}`;

const list = (values: readonly Expression[]): string => values.map(show).join(', ');

const maybe = (value: Expression | null, before = ' '): string => (value === null ? '' : before + show(value));

function statement(node: Statement): string {
  switch (node.kind) {
    case 'FunctionDef': {
      const marks = `${node.isAsync ? 'async ' : ''}def${node.isGenerator ? '*' : ''}`;
      const head = `${decorators(node.decorators)}${marks} ${node.name}(${parameters(node.args)})${maybe(node.returns, ' -> ')}`;
      return head + braces(node.body);
    }
    case 'ClassDef': {
      const keywords = node.keywords.map((each) => `${each.arg ?? '**'}=${show(each.value)}`);
      return `${decorators(node.decorators)}class ${node.name}(${[...node.bases.map(show), ...keywords].join(', ')})${braces(node.body)}`;
    }
    case 'Return':
      return `return${maybe(node.value)}`;
    case 'Delete':
      return `del ${list(node.targets)}`;
    case 'Assign':
      return `${node.targets.map(show).join(' = ')} = ${show(node.value)}`;
    case 'AugAssign':
      return `${show(node.target)} ${node.op}= ${show(node.value)}`;
    case 'AnnAssign':
      return `${show(node.target)}: ${show(node.annotation)}${maybe(node.value, ' = ')}`;
    case 'For':
      return `for ${show(node.target)} in ${show(node.iter)}${braces(node.body)}${orelse(node.orelse)}`;
    case 'While':
      return `while ${show(node.test)}${braces(node.body)}${orelse(node.orelse)}`;
    case 'If':
      return `if ${show(node.test)}${braces(node.body)}${orelse(node.orelse)}`;
    case 'With': {
      const items = node.items.map((item) => show(item.context) + maybe(item.target, ' as '));
      return `with ${items.join(', ')}${braces(node.body)}`;
    }
    case 'Match':
      return `match ${show(node.subject)}{${node.cases.map(matchCase).join('; ')}}`;
    case 'Raise':
      return `raise${maybe(node.exception)}`;
    case 'Try': {
      const handlers = node.handlers.map(
        (each) => ` except${maybe(each.type)}${each.name === null ? '' : ` as ${each.name}`}${braces(each.body)}`,
      );
      const last = node.finalbody.length === 0 ? '' : ` finally${braces(node.finalbody)}`;
      return `try${braces(node.body)}${handlers.join('')}${orelse(node.orelse)}${last}`;
    }
    case 'Assert':
      return `assert ${show(node.test)}${maybe(node.message, ', ')}`;
    case 'Import':
      return `import ${node.names.map(({ name, asname }) => (asname === null ? name : `${name} as ${asname}`)).join(', ')}`;
    case 'ImportFrom': {
      const names = node.names.map(({ name, asname }) => (asname === null ? name : `${name} as ${asname}`));
      return `from ${'.'.repeat(node.level)}${node.module} import ${names.join(', ')}`;
    }
    case 'Global':
      return `${node.nonlocal ? 'nonlocal' : 'global'} ${node.names.join(', ')}`;
    case 'Expr':
      return show(node.value);
    case 'Pass':
      return 'pass';
    case 'Break':
      return 'break';
    case 'Continue':
      return 'continue';
    case 'BadStatement':
      return 'BAD';
  }
}

const decorators = (values: readonly Expression[]): string => values.map((each) => `@${show(each)} `).join('');

const orelse = (body: Body): string => (body.length === 0 ? '' : ` else${braces(body)}`);

function matchCase(node: MatchCase): string {
  const literal = node.literal === null ? '' : ` ${show(node.literal)}`;
  const names = node.names.length === 0 ? '' : ` binds ${node.names.join(', ')}`;
  return `case${literal}${names}${node.irrefutable ? ' always' : ''}${maybe(node.guard, ' if ')}${braces(node.body)}`;
}

function parameters(node: Parameters): string {
  const parts = node.positional.map(parameter);
  if (node.positionalOnly > 0) parts.splice(node.positionalOnly, 0, '/');
  if (node.vararg !== null) parts.push(`*${parameter(node.vararg)}`);
  else if (node.keywordOnly.length > 0) parts.push('*');
  parts.push(...node.keywordOnly.map(parameter));
  if (node.kwarg !== null) parts.push(`**${parameter(node.kwarg)}`);
  return parts.join(', ');
}

const parameter = (node: Parameter): string => `${node.name}${maybe(node.annotation, ': ')}${maybe(node.default, '=')}`;

export function show(node: Expression): string {
  switch (node.kind) {
    case 'Name':
      return node.id;
    case 'Constant':
      return node.literal === 'ellipsis'
        ? '...'
        : `${node.literal === 'int' ? '' : `${node.literal} `}${JSON.stringify(node.value)}`;
    case 'JoinedStr':
      return `f[${node.values.map((each) => (typeof each === 'string' ? JSON.stringify(each) : show(each))).join(' ')}]`;
    case 'Attribute':
      return `${show(node.value)}.${node.attr}`;
    case 'Subscript':
      return `${show(node.value)}[${show(node.slice)}]`;
    case 'Slice':
      return [node.lower, node.upper, node.step].map((each) => maybe(each, '')).join(':');
    case 'Call': {
      const keywords = node.keywords.map((each) =>
        each.arg === null ? `**${show(each.value)}` : `${each.arg}=${show(each.value)}`,
      );
      return `${show(node.func)}(${[...node.args.map(show), ...keywords].join(', ')})`;
    }
    case 'BinOp':
      return `(${show(node.left)} ${node.op} ${show(node.right)})`;
    case 'UnaryOp':
      return `(${node.op} ${show(node.operand)})`;
    case 'BoolOp':
      return `(${node.values.map(show).join(` ${node.op} `)})`;
    case 'Compare':
      return `(${show(node.left)}${node.ops.map((op, index) => ` ${op} ${maybe(node.comparators[index] ?? null, '')}`).join('')})`;
    case 'IfExp':
      return `(${show(node.body)} if ${show(node.test)} else ${show(node.orelse)})`;
    case 'Lambda':
      return `(lambda ${parameters(node.args)}: ${show(node.body)})`;
    case 'Tuple':
      return `(${list(node.elts)},)`;
    case 'List':
      return `[${list(node.elts)}]`;
    case 'Set':
      return `{${list(node.elts)}}`;
    case 'Dict':
      return `{${node.values.map((value, index) => `${maybe(node.keys[index] ?? null, '') || '**'}: ${show(value)}`).join(', ')}}`;
    case 'Comprehension': {
      const clauses = node.generators.map(
        (each) =>
          ` for ${show(each.target)} in ${show(each.iter)}${each.ifs.map((test) => ` if ${show(test)}`).join('')}`,
      );
      return `${node.form}<${show(node.element)}${maybe(node.value, ': ')}${clauses.join('')}>`;
    }
    case 'Starred':
      return `*${show(node.value)}`;
    case 'NamedExpr':
      return `(${node.target.id} := ${show(node.value)})`;
    case 'Await':
      return `(await ${show(node.value)})`;
    case 'Yield':
      return `(yield${node.from ? ' from' : ''}${maybe(node.value)})`;
    case 'BadExpression':
      return 'BAD';
  }
}
