import { List, Text } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { useAddress } from "../../../parts/address";
import areaClasses from "../../../parts/area/Area.module.css";
import { type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { EditDrawer } from "../../../parts/forms/EditDrawer";
import { FormDrawer } from "../../../parts/forms/FormDrawer";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { BuildList } from "../BuildList";
import { StrategyTypeFields, bodyOf, draftOf, noType, objection } from "./StrategyTypeFields";

type Type = Schemas["StrategyType"];

const one = "/api/admin/strategies/{strategyName}";
const create = (draft = noType) =>
  request("post", "/api/admin/strategies", { body: { name: draft.name.trim(), ...bodyOf(draft) } });

/** Kinds of strategies: those that came with the server, and those that programs of one's own know. */
export function StrategyTypes() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/strategies"));
  const types = read.data?.strategies ?? [];
  const close = () => change({ new: undefined, open: undefined });
  const columns: Column<Type>[] = [
    {
      head: "Name",
      cell: ({ name, title, description }) => (
        <OpenRow name={title || name} note={description} onClick={() => change({ open: name })} />
      ),
    },
    { head: "Name in SDKs", wide: true, cell: ({ name }) => <span className="mono breaks">{name}</span> },
    { head: "Origin", cell: ({ editable }) => (editable ? "created here" : "built in") },
    {
      head: "State",
      cell: ({ deprecated }) => (deprecated ? <span className="chip warning">deprecated</span> : "in use"),
    },
    {
      head: "Parameters",
      wide: true,
      cell: ({ parameters }) => <bdi className="breaks">{parameters.map(({ name }) => name).join(", ") || "none"}</bdi>,
    },
  ];
  const opened = types.find(({ name }) => name === get("open"));
  return (
    <BuildList
      title="Strategy types"
      one="strategy type"
      read={read}
      items={types}
      keyOf={({ name }) => name}
      texts={({ name, title, description }) => [name, title, description]}
      columns={columns}
      create={create()}
      empty="There is no strategy type."
    >
      {get("new") !== undefined && (
        <NewDrawer
          title="New strategy type"
          size="lg"
          initial={noType}
          plan={create}
          action={({ name }) => `Create ${name.trim() || "it"}`}
          done={({ name }) => `The strategy type ${name.trim()} was created.`}
          objection={objection}
          onClose={close}
        >
          {(draft, edit) => <StrategyTypeFields draft={draft} change={edit} isNew />}
        </NewDrawer>
      )}
      {opened &&
        (opened.editable ? <Custom type={opened} onClose={close} /> : <BuiltIn type={opened} onClose={close} />)}
    </BuildList>
  );
}

interface Props {
  type: Type;
  onClose: () => void;
}

function Custom({ type: { name, deprecated }, onClose }: Props) {
  const params = { path: { strategyName: name } };
  const { act, busy } = useAct();
  const deprecate = request("post", "/api/admin/strategies/{strategyName}/deprecate", { params });
  const reactivate = request("post", "/api/admin/strategies/{strategyName}/reactivate", { params });
  const [planned, back] = deprecated ? [reactivate, deprecate] : [deprecate, reactivate];
  return (
    <EditDrawer
      key={name}
      title={name}
      size="lg"
      read={request("get", one, { params })}
      valuesOf={draftOf}
      plan={(draft) => request("put", one, { params, body: bodyOf(draft) })}
      events={{ type: "IS:strategy-updated", query: name }}
      done="The strategy type is saved. Strategies of it stay as they are."
      objection={objection}
      onClose={onClose}
      below={() => (
        <section className={areaClasses.section} aria-label="Life">
          <Text size="sm" mb="sm">
            A deprecated type should not be chosen any more; strategies of it keep working.
          </Text>
          <div className={areaClasses.actions}>
            <ActionButton
              variant="default"
              size="compact-sm"
              request={planned}
              loading={busy}
              onClick={() =>
                void act({
                  request: planned,
                  done: `${name} is ${deprecated ? "in use again" : "deprecated"}.`,
                  undo: back,
                })
              }
            >
              {deprecated ? "Use it again" : "Deprecate"}
            </ActionButton>
            <RemoveButton
              what="strategy type"
              name={name}
              request={request("delete", one, { params })}
              seen={request("get", one, { params })}
              consequence="It is refused while a strategy of any flag is of it: applications could not tell what that means."
              onRemoved={onClose}
            />
          </div>
        </section>
      )}
    >
      {(draft, edit) => <StrategyTypeFields draft={draft} change={edit} />}
    </EditDrawer>
  );
}

function BuiltIn({ type: { name, title, description, parameters }, onClose }: Props) {
  return (
    <FormDrawer title={title || name} onClose={onClose}>
      <Text size="sm">{description} It came with the server and stays as it is.</Text>
      <List size="sm" mt="md" aria-label="Parameters">
        {parameters.map((parameter) => (
          <List.Item key={parameter.name} className="breaks">
            <span className="mono">{parameter.name}</span> ({parameter.type}
            {parameter.required && ", required"}) {parameter.description}
          </List.Item>
        ))}
      </List>
    </FormDrawer>
  );
}
