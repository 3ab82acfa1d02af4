/** Every name of torch that the engine knows, one a line, for record_names.py. */
import { torchReturns } from '../../engine/evaluator/torch/torch-functions.ts';
import { MODULES } from '../../engine/modules/registry.ts';
import { names } from '../../engine/ops/index.ts';

const functions = [...torchReturns().keys()].filter((name) => /^torch\.\w+$/.test(name));
const all = [...names(), ...MODULES.flat().map(({ name }) => name), ...functions, 'torch.nn.Buffer'];
console.log([...new Set(all.filter((name) => name.startsWith('torch.')))].sort().join('\n'));
