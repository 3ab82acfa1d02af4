-- Run by Neovim itself, headless: a Python file meets the language server. What is seen goes out as one line of JSON.
--   NODE=node SERVER=dist/cli.js RESULT=seen.json nvim --headless --clean FILE -c 'luafile session.lua'
local seen = { messages = {} }

local function finish()
  local out = io.open(vim.env.RESULT, 'w')
  out:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
  out:close()
  vim.cmd('qa!')
end

local function await(what, condition)
  if not vim.wait(15000, condition, 20) then
    seen.failed = 'no ' .. what
    finish()
  end
end

local ok, err = pcall(function()
  local id = vim.lsp.start_client({
    name = 'stridelint',
    cmd = { vim.env.NODE, vim.env.SERVER, 'server', '--stdio' },
    root_dir = vim.fn.getcwd(),
  })
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, id)
  await('diagnostics', function() return #vim.diagnostic.get(buffer) > 0 end)
  for _, diagnostic in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(seen.messages, { line = diagnostic.lnum, column = diagnostic.col, code = diagnostic.code, message = diagnostic.message })
  end

  local first = vim.diagnostic.get(buffer)[1]
  local position = { line = first.lnum, character = first.col + 3 }
  local document = { uri = vim.uri_from_bufnr(buffer) }
  local answers = vim.lsp.buf_request_sync(buffer, 'textDocument/hover', { textDocument = document, position = position }, 15000)
  seen.hover = answers and answers[id] and answers[id].result and answers[id].result.contents.value or ''

  local range = { start = position, ['end'] = position }
  answers = vim.lsp.buf_request_sync(buffer, 'textDocument/codeAction',
    { textDocument = document, range = range, context = { diagnostics = {} } }, 15000)
  local actions = answers and answers[id] and answers[id].result or {}
  seen.actions = vim.tbl_map(function(action) return action.title end, actions)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
  await('end of the diagnostics', function() return #vim.diagnostic.get(buffer) == 0 end)
  seen.lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end)
if not ok then seen.failed = err end
finish()
