//! Banners: messages above every page of a console.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, ChangeRefusals, Created, Done, Fails, Out, ReadRefusals, WriteRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{Permitted, need},
    },
    domain::{
        banner::{Banner, Content, Fault, Variant, Wanted},
        permission::Permission,
        time::Timestamp,
    },
    error::Error,
    state::State,
    store,
    wire::Nullable,
};

/// The operations on banners.
#[derive(Debug)]
pub struct BannersApi;

/// A message above every page.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Banner", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct BannerBody {
    /// Id of the banner.
    pub id: i64,
    /// Text, in Markdown.
    pub message: String,
    /// Whether it is shown.
    pub enabled: bool,
    /// Urgency of the message.
    pub variant: Variant,
    /// Whether it stays visible while scrolling.
    pub sticky: bool,
    /// Name of a Material symbol, `none` for none; `null` for the one of the variant.
    pub icon: Nullable<String>,
    /// Target of its link: a URL, or `dialog`; `null` when it has none.
    pub link: Nullable<String>,
    /// Text of its link; `null` for `More info`.
    pub link_text: Nullable<String>,
    /// Title of its dialog; `null` for the text of the link.
    pub dialog_title: Nullable<String>,
    /// Text of its dialog, in Markdown; `null` when it has none.
    pub dialog: Nullable<String>,
    /// When it was created.
    pub created_at: Timestamp,
}

impl From<Banner> for BannerBody {
    fn from(banner: Banner) -> Self {
        let Banner { id, content, created_at } = banner;
        Self {
            id,
            message: content.message,
            enabled: content.enabled,
            variant: content.variant,
            sticky: content.sticky,
            icon: content.icon.into(),
            link: content.link.into(),
            link_text: content.link_text.into(),
            dialog_title: content.dialog_title.into(),
            dialog: content.dialog.into(),
            created_at,
        }
    }
}

/// The banners.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Banners")]
pub struct BannersBody {
    /// The banners, by id.
    pub banners: Vec<BannerBody>,
}

#[OpenApi(tag = "Tag::Instance")]
impl BannersApi {
    /// List the banners
    ///
    /// Needs no permission, since every page shows them. Disabled banners are listed for those who may change
    /// banners only.
    #[oai(path = "/api/admin/banners", method = "get", operation_id = "getBanners")]
    async fn get_banners(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<BannersBody>, Fails<ReadRefusals>> {
        let may_change = caller.grants().allow(Permission::UpdateInstanceBanners, None, None);
        let banners = store::banners::list(&state.db, !may_change).await?;
        Ok(Out(BannersBody { banners: banners.into_iter().map(BannerBody::from).collect() }))
    }

    /// Create a banner
    ///
    /// An instance has at most 100.
    #[oai(path = "/api/admin/banners", method = "post", operation_id = "createBanner")]
    async fn create_banner(
        &self,
        caller: Permitted<need::UpdateInstanceBanners>,
        Data(state): Data<&State>,
        body: Body<Wanted>,
    ) -> Result<Created<BannerBody>, Fails<WriteRefusals>> {
        let content = admit(body.read()?)?;
        Ok(Created(author(&caller, state).create_banner(&content).await?.into()))
    }

    /// Update a banner
    ///
    /// Replaces the stored values: what is absent is reset. A request that changes nothing leaves no event.
    #[oai(path = "/api/admin/banners/:id", method = "put", operation_id = "updateBanner")]
    async fn update_banner(
        &self,
        caller: Permitted<need::UpdateInstanceBanners>,
        Data(state): Data<&State>,
        id: Path<i64>,
        body: Body<Wanted>,
    ) -> Result<Out<BannerBody>, Fails<ChangeRefusals>> {
        let content = admit(body.read()?)?;
        Ok(Out(author(&caller, state).update_banner(id.0, |_: Content| content).await?.into()))
    }

    /// Delete a banner
    #[oai(path = "/api/admin/banners/:id", method = "delete", operation_id = "deleteBanner")]
    async fn delete_banner(
        &self,
        caller: Permitted<need::UpdateInstanceBanners>,
        Data(state): Data<&State>,
        id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        author(&caller, state).delete_banner(id.0).await?;
        Ok(Done)
    }

    /// Enable a banner
    ///
    /// A banner that is enabled already leaves no event.
    #[oai(path = "/api/admin/banners/:id/on", method = "post", operation_id = "showBanner")]
    async fn show_banner(
        &self,
        caller: Permitted<need::UpdateInstanceBanners>,
        Data(state): Data<&State>,
        id: Path<i64>,
    ) -> Result<Out<BannerBody>, Fails<ActRefusals>> {
        Ok(Out(author(&caller, state)
            .update_banner(id.0, |content: Content| Content { enabled: true, ..content })
            .await?
            .into()))
    }

    /// Disable a banner
    ///
    /// A banner that is disabled already leaves no event.
    #[oai(path = "/api/admin/banners/:id/off", method = "post", operation_id = "hideBanner")]
    async fn hide_banner(
        &self,
        caller: Permitted<need::UpdateInstanceBanners>,
        Data(state): Data<&State>,
        id: Path<i64>,
    ) -> Result<Out<BannerBody>, Fails<ActRefusals>> {
        Ok(Out(author(&caller, state)
            .update_banner(id.0, |content: Content| Content { enabled: false, ..content })
            .await?
            .into()))
    }
}

fn admit(wanted: Wanted) -> Result<Content, Error> {
    Content::admit(wanted).map_err(|Fault { property, rule }| Error::property(format!("/body/{property}"), rule))
}
