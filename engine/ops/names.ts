const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ['F', 'torch.nn.functional'],
  ['Tensor', 'torch.Tensor'],
  ['torch', 'torch'],
  ['linalg', 'torch.linalg'],
  ['special', 'torch.special'],
  ['fft', 'torch.fft'],
]);

/** The qualified names that a name of the registry stands for, the canonical one first. */
export function qualify(name: string): readonly string[] {
  const dot = name.indexOf('.');
  if (dot < 0) return [`torch.${name}`, `torch.Tensor.${name}`];
  const namespace = NAMESPACES.get(name.slice(0, dot));
  return [namespace === undefined ? name : namespace + name.slice(dot)];
}
