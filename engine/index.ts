/** The only door to the engine: text in, plain frozen values out. */
export type { Module } from './syntax/ast.ts';
export type { Edit, Finding, Fix, Severity, Span } from './rules/finding.ts';
export type { FunctionTrace, TraceEvent } from './evaluator/trace.ts';
